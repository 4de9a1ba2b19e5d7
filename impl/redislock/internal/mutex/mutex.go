// Package mutex is what the mutex says to Redis: one key, whose value is the
// owner and whose TTL is the lease.
//
// It is apart from package redislock so that the antipatterns can take all of it
// and change the one thing that they get wrong.
package mutex

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockstep-sim/lockstep/impl/lock"
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
		return p.grantWithToken(ctx, c)
	}
	err := p.Conn.Do(ctx, c, "SET", c.Key, c.Owner, "NX", "PX", c.Millis()).Err()
	if errors.Is(err, redis.Nil) {
		return engine.Outcome{}, nil
	}
	return engine.Outcome{Granted: err == nil}, err
}

func (p Protocol) grantWithToken(ctx context.Context, c engine.Claim) (engine.Outcome, error) {
	answer, err := lua.Acquire.Run(ctx, p.Conn, c, []string{c.Key, c.TokenKey}, c.Owner, c.Millis()).Int64Slice()
	if err != nil {
		return engine.Outcome{}, err
	}
	if len(answer) != 2 {
		return engine.Outcome{}, fmt.Errorf("%s answered %d values instead of 2", lua.Acquire.Name, len(answer))
	}
	if answer[0] == 0 {
		return engine.Outcome{PTTL: answer[1]}, nil
	}
	return engine.Outcome{Granted: true, Token: lock.Token(answer[1]), HasToken: true}, nil
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
		return untilExpired(refused.PTTL), nil
	}
	pttl, err := p.Conn.Do(ctx, c, "PTTL", c.Key).Int64()
	return untilExpired(pttl), err
}

// untilExpired turns an answer of PTTL into a time to wait. Redis keeps a key
// to the end of the millisecond in which it expires, hence one more. A key that
// is gone (−2) need not be waited for; one without a TTL (−1) has no end.
func untilExpired(pttl int64) time.Duration {
	switch pttl {
	case -2:
		return 0
	case -1:
		return -1
	}
	return time.Duration(pttl+1) * time.Millisecond
}
