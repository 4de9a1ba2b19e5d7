// Package handle makes a lock.Client of a locker and of what has to be closed
// with it. What does not belong here: anything about one backend.
package handle

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/lockstep-sim/lockstep/impl/lock"
)

// Handle implements lock.Client.
type Handle struct {
	locker lock.Locker
	close  []func() error
	closed atomic.Bool
}

// New makes a Handle. Close calls the given functions in the reverse of their
// order, which is that in which things were opened.
func New(l lock.Locker, closers ...func() error) *Handle {
	return &Handle{locker: l, close: closers}
}

// Acquire implements lock.Locker. After Close it returns lock.ErrClosed.
func (h *Handle) Acquire(ctx context.Context, key string, opts ...lock.Option) (lock.Lease, error) {
	if h.closed.Load() {
		return nil, closed(key)
	}
	return h.locker.Acquire(ctx, key, opts...)
}

// TryAcquire implements lock.Locker. After Close it returns lock.ErrClosed.
func (h *Handle) TryAcquire(ctx context.Context, key string, opts ...lock.Option) (lock.Lease, error) {
	if h.closed.Load() {
		return nil, closed(key)
	}
	return h.locker.TryAcquire(ctx, key, opts...)
}

func closed(key string) error {
	return fmt.Errorf("acquire %q: %w: %w", key, lock.ErrNotAcquired, lock.ErrClosed)
}

// Close implements lock.Client. Closing again does nothing.
func (h *Handle) Close() error {
	if h.closed.Swap(true) {
		return nil
	}
	return CloseAll(h.close)
}

// CloseAll calls the functions in reverse order, all of them whatever they
// return.
func CloseAll(closers []func() error) error {
	var errs []error
	for i := len(closers) - 1; i >= 0; i-- {
		errs = append(errs, closers[i]())
	}
	return errors.Join(errs...)
}

// NoError gives a function without an error the form that New wants.
func NoError(f func()) func() error {
	return func() error { f(); return nil }
}
