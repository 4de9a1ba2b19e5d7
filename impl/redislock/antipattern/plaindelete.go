package antipattern

import (
	"context"

	"github.com/lockstep-sim/lockstep/impl/redislock"
	"github.com/lockstep-sim/lockstep/impl/redislock/internal/engine"
	"github.com/lockstep-sim/lockstep/impl/redislock/internal/mutex"
)

// PlainDelete is WRONG: it releases with DEL, whoever the lock belongs to. A
// holder whose lease has run out deletes the lock of its successor, and a third
// one gets in beside that. Instead: delete in a script that compares the owner.
//
// It implements lock.Locker.
type PlainDelete struct{ *engine.Engine }

// NewPlainDelete makes one; the arguments are those of redislock.New.
func NewPlainDelete(rdb redislock.Client, cfg redislock.Config) (*PlainDelete, error) {
	e, err := newEngine(rdb, plainDelete{correct(rdb, cfg)}, cfg)
	if err != nil {
		return nil, err
	}
	return &PlainDelete{e}, nil
}

type plainDelete struct{ mutex.Protocol }

// Release makes the mistake.
func (p plainDelete) Release(ctx context.Context, c engine.Claim) (bool, error) {
	return deleteAndAnnounce(ctx, p.Conn, c)
}

// deleteAndAnnounce deletes the lock unseen and tells those who wait for it.
func deleteAndAnnounce(ctx context.Context, conn engine.Conn, c engine.Claim) (bool, error) {
	deleted, err := conn.Do(ctx, c, "DEL", c.Key).Bool()
	if err != nil || !deleted {
		return false, err
	}
	return true, conn.Do(ctx, c, "PUBLISH", c.Channel, "released").Err()
}
