package antipattern

import (
	"context"

	"github.com/lockstep-sim/lockstep/impl/redislock"
	"github.com/lockstep-sim/lockstep/impl/redislock/internal/engine"
	"github.com/lockstep-sim/lockstep/impl/redislock/internal/mutex"
)

// RenewWithoutOwner is WRONG: it renews with PEXPIRE, whoever the lock belongs
// to. A holder whose lease has ended lengthens that of its successor and takes
// the answer for its own. Instead: renew in a script that compares the owner.
//
// It implements lock.Locker.
type RenewWithoutOwner struct{ *engine.Engine }

// NewRenewWithoutOwner makes one; the arguments are those of redislock.New.
func NewRenewWithoutOwner(rdb redislock.Client, cfg redislock.Config) (*RenewWithoutOwner, error) {
	e, err := newEngine(rdb, renewWithoutOwner{correct(rdb, cfg)}, cfg)
	if err != nil {
		return nil, err
	}
	return &RenewWithoutOwner{e}, nil
}

type renewWithoutOwner struct{ mutex.Protocol }

// Renew makes the mistake.
func (p renewWithoutOwner) Renew(ctx context.Context, c engine.Claim) (bool, error) {
	return p.Conn.Do(ctx, c, "PEXPIRE", c.Key, c.Millis()).Bool()
}
