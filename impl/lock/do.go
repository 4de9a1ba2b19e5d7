package lock

import (
	"context"
	"errors"
)

// Do runs fn while holding the lock named key. The context of fn ends when the
// lease does, with the reason as its cause, so work that heeds its context
// stops when it loses the lock.
//
// The error joins what fn returned with what the release returned: a lease that
// ended while fn ran shows as [ErrNotHeld] even if fn succeeded, because its
// work may have overlapped with another holder's. The lock is released even if
// fn panics.
func Do(ctx context.Context, l Locker, key string, fn func(context.Context) error, opts ...Option) (err error) {
	lease, err := l.Acquire(ctx, key, opts...)
	if err != nil {
		return err
	}
	held, stop := WithLease(ctx, lease)
	defer stop()
	defer func() {
		err = errors.Join(err, lease.Release(context.WithoutCancel(ctx)))
	}()
	return fn(held)
}

// WithLease returns a context that ends when parent or the lease does. The
// returned function frees its resources and must be called.
func WithLease(parent context.Context, lease Lease) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(parent)
	onEnd(ctx, lease, func() { cancel(lease.Err()) })
	return ctx, func() { cancel(context.Canceled) }
}

// onEnd calls end when the lease ends. For a lease that is not built on Grant it
// stops waiting for that when ctx ends.
func onEnd(ctx context.Context, lease Lease, end func()) {
	if g, ok := lease.(interface{ OnEnd(func()) }); ok {
		g.OnEnd(end)
		return
	}
	go watch(ctx, lease, end) //lockstep:bare-wait such a lease offers only its channel
}

func watch(ctx context.Context, lease Lease, end func()) {
	select { //lockstep:bare-wait see onEnd
	case <-lease.Done():
		end()
	case <-ctx.Done():
	}
}
