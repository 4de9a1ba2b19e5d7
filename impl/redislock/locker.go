package redislock

import (
	"context"
	"fmt"

	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/redislock/internal/engine"
)

// locker is what the kinds of lock beside Mutex have in common.
type locker struct{ engine *engine.Engine }

func newLocker(rdb Client, p engine.Protocol, cfg Config) (locker, error) {
	e, err := engine.New(rdb, p, engine.Config(cfg))
	return locker{e}, err
}

// Acquire implements lock.Locker. It waits as that of Mutex does, with the same
// errors.
func (l locker) Acquire(ctx context.Context, key string, opts ...lock.Option) (lock.Lease, error) {
	return l.engine.Acquire(ctx, key, opts...)
}

// TryAcquire implements lock.Locker. It sends one request; its errors are those
// of Acquire.
func (l locker) TryAcquire(ctx context.Context, key string, opts ...lock.Option) (lock.Lease, error) {
	return l.engine.TryAcquire(ctx, key, opts...)
}

// refuseFencing refuses a setting that would promise what a kind of lock cannot
// keep.
func refuseFencing(cfg Config, because string) error {
	if cfg.Fencing {
		return fmt.Errorf("redislock: %w: no fencing tokens here: %s", lock.ErrInvalid, because)
	}
	return nil
}
