package lock

import (
	"context"
	"time"

	"github.com/lockstep-sim/lockstep/impl/clock"
)

// Within returns a Locker whose Acquire waits for d at most and then returns
// [ErrNotAcquired] with context.DeadlineExceeded. With d of zero or less Acquire
// does not wait: it is TryAcquire. A nil clock means the real one.
//
// It bounds the waiting for [Do], [DoTx] and [Guard]: a context with a deadline
// would bound the work as well.
func Within(clk clock.Clock, l Locker, d time.Duration) Locker {
	return within{Locker: l, clk: clock.Or(clk), d: d}
}

type within struct {
	Locker
	clk clock.Clock
	d   time.Duration
}

// Acquire implements [Locker].
func (w within) Acquire(ctx context.Context, key string, opts ...Option) (Lease, error) {
	if w.d <= 0 {
		return w.TryAcquire(ctx, key, opts...)
	}
	ctx, cancel := w.clk.WithTimeout(ctx, w.d)
	defer cancel()
	return w.Locker.Acquire(ctx, key, opts...)
}
