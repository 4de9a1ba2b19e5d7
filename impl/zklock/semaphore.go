package zklock

import (
	"context"
	"fmt"

	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/zklock/internal/engine"
	"github.com/lockstep-sim/lockstep/impl/zklock/zkconn"
)

// Semaphore grants every key to a number of owners at a time, in the order of
// their arrival. It implements lock.Locker; a lease is one permit. A permit that
// becomes free wakes one waiter.
//
// Permits are alike and have no owner, so it is not reentrant, and lock.WithOwner
// is lock.ErrInvalid.
type Semaphore struct {
	engine *engine.Engine
	ask    engine.Ask
}

// NewSemaphore makes a semaphore; see [New]. Everybody who uses a key must name
// the same number of permits, at least 1: the number is not kept in ZooKeeper.
func NewSemaphore(conn zkconn.Conn, permits int, cfg Config) (*Semaphore, error) {
	if permits < 1 {
		return nil, fmt.Errorf("zklock: %w: a semaphore of %d permits", lock.ErrInvalid, permits)
	}
	e, err := engine.New(conn, engine.Config(cfg))
	if err != nil {
		return nil, err
	}
	return &Semaphore{engine: e, ask: engine.Ask{Kind: engine.Permit, Turn: engine.Permits(permits)}}, nil
}

// Acquire implements lock.Locker. Without contention it sends two requests. See
// [Mutex.Acquire] for its errors.
func (s *Semaphore) Acquire(ctx context.Context, key string, opts ...lock.Option) (lock.Lease, error) {
	return s.engine.Acquire(ctx, s.ask, key, opts)
}

// TryAcquire implements lock.Locker. It fails when no permit is free or somebody
// waits for one.
func (s *Semaphore) TryAcquire(ctx context.Context, key string, opts ...lock.Option) (lock.Lease, error) {
	return s.engine.TryAcquire(ctx, s.ask, key, opts)
}

// Forget is that of [Mutex].
func (s *Semaphore) Forget(ctx context.Context, key string) error { return s.engine.Forget(ctx, key) }

// Close is that of [Mutex].
func (s *Semaphore) Close() error {
	s.engine.Close()
	return nil
}
