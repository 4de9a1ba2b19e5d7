// Package lock is the contract that every lock of this module implements, and
// the few pieces that all of them share.
//
// What belongs here: [Locker] and [Lease], the errors, the options, the local
// half of a lease ([Grant]) with its renewal ([Watchdog]), and helpers that work
// on any Locker ([Do]). What does not: any backend, and anything that only one
// implementation needs.
//
// A lock of this kind reduces conflicts; it does not make a write safe. A holder
// that is paused for longer than its lease goes on believing in it until it
// looks. Where a stale write would do harm, pass [Lease.Token] to the resource
// and let the resource refuse old tokens (package fencing).
package lock

import (
	"context"
	"time"
)

// Locker grants leases on named locks. Implementations are safe for concurrent
// use by any number of goroutines.
type Locker interface {
	// Acquire waits until it is granted the lock named key, or ctx ends. The
	// context governs the waiting only: once granted, the lease lives until
	// its release or its loss, whatever happens to ctx.
	//
	// An Acquire that returns an error leaves nothing behind in the backend:
	// no key, no queue entry, no session of its own. A context error is joined
	// to [ErrNotAcquired], so errors.Is finds both.
	Acquire(ctx context.Context, key string, opts ...Option) (Lease, error)

	// TryAcquire makes one attempt and returns [ErrNotAcquired] when somebody
	// else holds the lock. It never waits for the holder.
	TryAcquire(ctx context.Context, key string, opts ...Option) (Lease, error)
}

// Lease is one grant of a lock to one owner. It is never reused: a second grant
// is a second Lease with another owner. All methods are safe for concurrent use.
type Lease interface {
	// Key is the name of the lock as it was given to Acquire.
	Key() string

	// Owner is the random identity of this grant, as it stands in the backend.
	Owner() string

	// Token is the fencing token captured at the grant. It is larger than that
	// of every earlier grant of the same lock. ok is false where the backend
	// cannot give one.
	Token() (token Token, ok bool)

	// Deadline is the local time at which the lease ends unless it is renewed,
	// counted from before the last successful request was sent, so that it is
	// never later than the backend's own. It is zero where the backend does
	// not end leases by time.
	Deadline() time.Time

	// Done is closed when the lease has ended: by its release, by its definite
	// loss, or because Deadline has passed without a renewal.
	Done() <-chan struct{}

	// Err is nil while the lease lasts, and then says why it ended:
	// [ErrReleased], [ErrLost] or [ErrSessionExpired].
	Err() error

	// Release gives the lock back and ends the lease. It returns [ErrNotHeld]
	// when the lease had ended before: the work may have overlapped with that
	// of another holder and must be treated so. Any other error means that the
	// backend may still hold the lock until its time runs out.
	//
	// Every request that it sends is bounded in time by the implementation, so
	// a context without a deadline is safe to pass.
	Release(ctx context.Context) error
}

// Renewer is implemented by leases whose life can be prolonged by hand.
type Renewer interface {
	// Renew asks the backend for a full TTL from now. It returns [ErrNotHeld]
	// when the lock no longer belongs to this lease.
	Renew(ctx context.Context) error
}

// Token is a fencing token: a number that only grows from grant to grant of one
// lock. See Martin Kleppmann, "How to do distributed locking" (8 February 2016).
type Token uint64
