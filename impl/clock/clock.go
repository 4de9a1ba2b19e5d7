// Package clock is the only source of time, of waiting and of new goroutines
// for the lock implementations under impl.
//
// Production code uses [Real]. A simulator hands in a clock of its own, and the
// unchanged lock code then runs in virtual time, because it blocks nowhere
// except in a backend call or in one of the primitives of this package.
//
// What belongs here: the [Clock] interface, its real-time implementation and
// helpers written purely in terms of the interface. What does not: anything
// that knows about locks, backends or simulation.
package clock

import (
	"context"
	"errors"
	"time"
)

// ErrTimeout is returned by the Wait methods when the limit passed before the
// event happened. It says nothing about the context of the caller.
var ErrTimeout = errors.New("clock: wait limit reached")

// NoLimit is the limit to pass to a Wait method that shall wait until the event
// happens or the context ends, however long that takes.
const NoLimit time.Duration = -1

// Clock tells the time, waits and starts goroutines. All methods are safe for
// concurrent use. Durations of zero or less do not wait.
type Clock interface {
	// Now is the current time. Only differences between two readings of one
	// clock mean anything: two processes never agree on the time.
	Now() time.Time

	// Sleep waits for d. It returns early, with the context's error, when ctx
	// ends first.
	Sleep(ctx context.Context, d time.Duration) error

	// AfterFunc calls f once, in a goroutine of its own, after d.
	AfterFunc(d time.Duration, f func()) Timer

	// Go runs f in a goroutine of its own. The caller is responsible for
	// joining it, normally through an [Event] that f sets at its end.
	Go(f func())

	// NewSignal makes a [Signal] without a pending notification.
	NewSignal() Signal

	// NewEvent makes an [Event] that has not happened yet.
	NewEvent() Event

	// WithTimeout is [context.WithTimeout] measured on this clock. The returned
	// cancel function must be called, as with the original.
	WithTimeout(parent context.Context, d time.Duration) (context.Context, context.CancelFunc)
}

// Timer is a pending call made by [Clock.AfterFunc].
type Timer interface {
	// Stop prevents the call. It reports false when the call has been started
	// or stopped already; it does not wait for a started call to end.
	Stop() bool
}

// Signal is a wake-up that is remembered: a notification without a waiter is
// kept (one, not a count) and ends the next Wait at once, so the order "notify,
// then wait" loses nothing.
type Signal interface {
	// Notify wakes one waiter or, without a waiter, leaves one notification.
	Notify()

	// Wait returns nil once notified, [ErrTimeout] after limit, or the
	// context's error. See [NoLimit].
	Wait(ctx context.Context, limit time.Duration) error
}

// Event is something that happens once and stays true.
type Event interface {
	// Set makes the event happen. Setting it again does nothing.
	Set()

	// IsSet reports whether the event has happened.
	IsSet() bool

	// Done is closed when the event happens. It is for callers outside impl;
	// implementations use Wait.
	Done() <-chan struct{}

	// Wait returns nil once the event has happened, [ErrTimeout] after limit,
	// or the context's error. See [NoLimit].
	Wait(ctx context.Context, limit time.Duration) error
}
