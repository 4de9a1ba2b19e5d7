package redislock

import (
	"context"
	"time"

	"github.com/lockstep-sim/lockstep/impl/redislock/internal/engine"
	"github.com/lockstep-sim/lockstep/impl/redislock/internal/lua"
)

// Reentrant grants every key to one owner at a time, and to that owner as often
// as it asks: lock.WithOwner says who asks. Each grant is a lease to be released
// on its own; the lock is free after the last one. It implements lock.Locker,
// and its leases implement lock.Renewer.
//
// Re-entry keeps the token and never shortens the time that the lock has. A
// request without an owner is one by an owner of its own. Whoever knows the name
// of an owner can enter, so names should not be guessed by accident: one for
// each process and piece of work, not one for each kind of work.
//
// The key is a hash. The owner's field counts its holds, and each hold has a
// field of its own, by which a request that is repeated after a lost answer is
// recognised and not counted again.
type Reentrant struct{ locker }

// NewReentrant makes a reentrant lock. It sends nothing. A setting that cannot
// work is lock.ErrInvalid.
func NewReentrant(rdb Client, cfg Config) (*Reentrant, error) {
	l, err := newLocker(rdb, reentrant{engine.NewConn(rdb, cfg.Clock), cfg.Fencing}, cfg)
	if err != nil {
		return nil, err
	}
	l.engine.Reentrant = true
	return &Reentrant{l}, nil
}

// reentrant implements engine.Protocol.
type reentrant struct {
	conn    engine.Conn
	fencing bool
}

// Grant adds a hold if the lock is free or the owner's.
func (p reentrant) Grant(ctx context.Context, c engine.Claim) (engine.Outcome, error) {
	return lua.ReentrantAcquire.RunGrant(ctx, p.conn, c, p.fencing, []string{c.Key}, c.Owner, c.Hold, c.Millis())
}

// Renew lengthens the lock if the hold is in it.
func (p reentrant) Renew(ctx context.Context, c engine.Claim) (bool, error) {
	return lua.ReentrantRenew.Run(ctx, p.conn, c, []string{c.Key}, c.Owner, c.Hold, c.Millis()).Bool()
}

// Release ends the hold, and the lock with the last one.
func (p reentrant) Release(ctx context.Context, c engine.Claim) (bool, error) {
	return lua.ReentrantRelease.Run(ctx, p.conn, c, []string{c.Key}, c.Owner, c.Hold, c.Channel).Bool()
}

// Remaining is what is left of the holder's lease.
func (p reentrant) Remaining(_ context.Context, _ engine.Claim, refused engine.Outcome) (time.Duration, error) {
	return engine.UntilExpired(refused.PTTL), nil
}
