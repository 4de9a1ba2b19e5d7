package antipattern

import (
	"context"
	"time"

	"github.com/lockstep-sim/lockstep/impl/redislock"
	"github.com/lockstep-sim/lockstep/impl/redislock/internal/engine"
)

// CountedPermits is WRONG: it counts the permits that are taken, and nobody can
// tell by a number whose they are. The permit of a holder that dies never comes
// back, so the semaphore shrinks with every crash until nobody gets in. Instead:
// keep an entry for each holder with the time at which it ends.
//
// It implements lock.Locker.
type CountedPermits struct{ *engine.Engine }

// NewCountedPermits makes one; the arguments are those of redislock.NewSemaphore.
func NewCountedPermits(rdb redislock.Client, permits int, cfg redislock.Config) (*CountedPermits, error) {
	e, err := newEngine(rdb, countedPermits{engine.NewConn(rdb, cfg.Clock), int64(permits)}, cfg)
	if err != nil {
		return nil, err
	}
	return &CountedPermits{e}, nil
}

type countedPermits struct {
	conn    engine.Conn
	permits int64
}

// Grant counts up, and down again if that was too many.
func (p countedPermits) Grant(ctx context.Context, c engine.Claim) (engine.Outcome, error) {
	taken, err := p.conn.Do(ctx, c, "INCR", c.Key).Int64()
	if err != nil || taken <= p.permits {
		return engine.Outcome{Granted: err == nil}, err
	}
	return engine.Outcome{}, p.conn.Do(ctx, c, "DECR", c.Key).Err()
}

// Renew makes the mistake: there is nothing that a dead holder would not renew.
func (p countedPermits) Renew(context.Context, engine.Claim) (bool, error) { return true, nil }

// Release counts down and tells those who wait.
func (p countedPermits) Release(ctx context.Context, c engine.Claim) (bool, error) {
	if err := p.conn.Do(ctx, c, "DECR", c.Key).Err(); err != nil {
		return false, err
	}
	return true, p.conn.Do(ctx, c, "PUBLISH", c.Channel, "released").Err()
}

// Remaining knows nothing: a number does not end.
func (p countedPermits) Remaining(context.Context, engine.Claim, engine.Outcome) (time.Duration, error) {
	return -1, nil
}
