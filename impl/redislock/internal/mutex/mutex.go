// Package mutex is what the mutex says to Redis: one key, whose value is the
// owner and whose TTL is the lease.
//
// It is apart from package redislock so that the antipatterns can take all of it
// and change the one thing that they get wrong.
package mutex

import (
	"context"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockstep-sim/lockstep/impl/redislock/internal/engine"
	"github.com/lockstep-sim/lockstep/impl/redislock/internal/lua"
)

// Protocol implements engine.Protocol.
type Protocol struct {
	Conn engine.Conn
	// Fencing numbers the grants.
	Fencing bool
}

// Grant sets the key if it is absent, with owner and TTL in one command.
func (p Protocol) Grant(ctx context.Context, c engine.Claim) (engine.Outcome, error) {
	if p.Fencing {
		return lua.Acquire.RunGrant(ctx, p.Conn, c, true, []string{c.Key}, c.Owner, c.Millis())
	}
	err := p.Conn.Do(ctx, c, "SET", c.Key, c.Owner, "NX", "PX", c.Millis()).Err()
	if errors.Is(err, redis.Nil) {
		return engine.Outcome{}, nil
	}
	return engine.Outcome{Granted: err == nil}, err
}

// Renew lengthens the lease if the key still has the claim's owner.
func (p Protocol) Renew(ctx context.Context, c engine.Claim) (bool, error) {
	return lua.Renew.Run(ctx, p.Conn, c, []string{c.Key}, c.Owner, c.Millis()).Bool()
}

// Release deletes the key if it still has the claim's owner.
func (p Protocol) Release(ctx context.Context, c engine.Claim) (bool, error) {
	return lua.Release.Run(ctx, p.Conn, c, []string{c.Key}, c.Owner, c.Channel).Bool()
}

// Remaining is what is left of the holder's lease. SET does not tell it, so a
// waiter without a token asks for it.
func (p Protocol) Remaining(ctx context.Context, c engine.Claim, refused engine.Outcome) (time.Duration, error) {
	if p.Fencing {
		return engine.UntilExpired(refused.PTTL), nil
	}
	pttl, err := p.Conn.Do(ctx, c, "PTTL", c.Key).Int64()
	return engine.UntilExpired(pttl), err
}
