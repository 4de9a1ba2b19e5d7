package antipattern

import (
	"context"
	"errors"

	"github.com/redis/go-redis/v9"

	"github.com/lockstep-sim/lockstep/impl/redislock"
	"github.com/lockstep-sim/lockstep/impl/redislock/internal/engine"
	"github.com/lockstep-sim/lockstep/impl/redislock/internal/mutex"
)

// GetThenDelete is WRONG: it compares the owner in the client, between a GET and
// a DEL. The lease can run out and the lock change hands after the GET; the DEL
// then hits the successor. Instead: compare and delete in one script.
//
// It implements lock.Locker.
type GetThenDelete struct{ *engine.Engine }

// NewGetThenDelete makes one; the arguments are those of redislock.New.
func NewGetThenDelete(rdb redislock.Client, cfg redislock.Config) (*GetThenDelete, error) {
	e, err := newEngine(rdb, getThenDelete{correct(rdb, cfg)}, cfg)
	if err != nil {
		return nil, err
	}
	return &GetThenDelete{e}, nil
}

type getThenDelete struct{ mutex.Protocol }

// Release makes the mistake.
func (p getThenDelete) Release(ctx context.Context, c engine.Claim) (bool, error) {
	owner, err := p.Conn.Do(ctx, c, "GET", c.Key).Text()
	if errors.Is(err, redis.Nil) {
		return false, nil
	}
	if err != nil || owner != c.Owner {
		return false, err
	}
	return deleteAndAnnounce(ctx, p.Conn, c)
}
