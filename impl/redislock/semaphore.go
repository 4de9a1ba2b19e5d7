package redislock

import (
	"context"
	"fmt"
	"time"

	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/redislock/internal/engine"
	"github.com/lockstep-sim/lockstep/impl/redislock/internal/lua"
)

// Semaphore grants every key to a number of owners at a time: each lease is a
// permit. It implements lock.Locker, and its leases implement lock.Renewer.
//
// Permits stand in one sorted set by the time at which they end, so that of a
// holder that has died comes back by itself, once. There are no tokens, since a
// resource could not tell an old holder from one of several.
type Semaphore struct{ locker }

// NewSemaphore makes a semaphore with the given number of permits, at least
// one. All users of a key must agree on it. It sends nothing. A setting that
// cannot work, and Config.Fencing, is lock.ErrInvalid.
func NewSemaphore(rdb Client, permits int, cfg Config) (*Semaphore, error) {
	if permits < 1 {
		return nil, fmt.Errorf("redislock: %w: %d permits, there must be at least one", lock.ErrInvalid, permits)
	}
	if err := refuseFencing(cfg, "a semaphore has several holders at a time"); err != nil {
		return nil, err
	}
	l, err := newLocker(rdb, semaphore{engine.NewConn(rdb, cfg.Clock), permits}, cfg)
	if err != nil {
		return nil, err
	}
	return &Semaphore{l}, nil
}

// semaphore implements engine.Protocol.
type semaphore struct {
	conn    engine.Conn
	permits int
}

// Grant takes a permit if one is left.
func (p semaphore) Grant(ctx context.Context, c engine.Claim) (engine.Outcome, error) {
	return lua.SemaphoreAcquire.RunGrant(ctx, p.conn, c, false, []string{c.Key}, c.Owner, c.Millis(), p.permits)
}

// Renew lengthens the permit.
func (p semaphore) Renew(ctx context.Context, c engine.Claim) (bool, error) {
	return lua.HoldRenew.Run(ctx, p.conn, c, []string{c.Key}, c.Owner, c.Millis()).Bool()
}

// Release puts the permit back.
func (p semaphore) Release(ctx context.Context, c engine.Claim) (bool, error) {
	return lua.SemaphoreRelease.Run(ctx, p.conn, c, []string{c.Key}, c.Owner, c.Channel).Bool()
}

// Remaining is the time to the end of the first permit.
func (p semaphore) Remaining(_ context.Context, _ engine.Claim, refused engine.Outcome) (time.Duration, error) {
	return engine.UntilExpired(refused.PTTL), nil
}
