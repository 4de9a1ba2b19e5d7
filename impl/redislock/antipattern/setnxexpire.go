package antipattern

import (
	"context"
	"time"

	"github.com/lockstep-sim/lockstep/impl/redislock"
	"github.com/lockstep-sim/lockstep/impl/redislock/internal/engine"
	"github.com/lockstep-sim/lockstep/impl/redislock/internal/mutex"
)

// SetnxExpire is WRONG: it takes the lock with SETNX and sets its TTL with a
// second command. A client that dies between the two leaves a lock without TTL,
// for which everybody waits for ever. Instead: one SET with NX and PX.
//
// It implements lock.Locker. It gives no tokens, whatever Config.Fencing says.
type SetnxExpire struct{ *engine.Engine }

// NewSetnxExpire makes one; the arguments are those of redislock.New.
func NewSetnxExpire(rdb redislock.Client, cfg redislock.Config) (*SetnxExpire, error) {
	cfg.Fencing = false
	e, err := newEngine(rdb, setnxExpire{correct(rdb, cfg)}, cfg)
	if err != nil {
		return nil, err
	}
	return &SetnxExpire{e}, nil
}

type setnxExpire struct{ mutex.Protocol }

// Grant makes the mistake.
func (p setnxExpire) Grant(ctx context.Context, c engine.Claim) (engine.Outcome, error) {
	granted, err := p.Conn.Do(ctx, c, "SETNX", c.Key, c.Owner).Bool()
	if err != nil || !granted {
		return engine.Outcome{}, err
	}
	err = expire(ctx, p.Conn, c)
	return engine.Outcome{Granted: err == nil}, err
}

// expire sets the TTL as one would by hand: in seconds if there are any.
func expire(ctx context.Context, conn engine.Conn, c engine.Claim) error {
	if c.TTL%time.Second == 0 {
		return conn.Do(ctx, c, "EXPIRE", c.Key, int64(c.TTL/time.Second)).Err()
	}
	return conn.Do(ctx, c, "PEXPIRE", c.Key, c.Millis()).Err()
}
