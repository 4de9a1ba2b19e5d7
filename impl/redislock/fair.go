package redislock

import (
	"context"
	"time"

	"github.com/lockstep-sim/lockstep/impl/redislock/internal/engine"
	"github.com/lockstep-sim/lockstep/impl/redislock/internal/lua"
)

const (
	// fairPoll is the default of Config.Poll for a fair lock.
	fairPoll = time.Second
	// signsOfLife is how many of them a waiter may fail to give.
	signsOfLife = 3
)

// Fair grants every key to one owner at a time, in the order in which Acquire
// was called, as far as the server saw it. Nobody overtakes: TryAcquire is
// refused while others wait. It implements lock.Locker, and its leases implement
// lock.Renewer.
//
// The queue is a list. Beside it stands, for each waiter, the time until which it
// counts as alive; it shows that it is every Config.Poll, here 1 s by default,
// and counts as alive for three times that. A waiter that has died at the head
// of the queue is passed over then; until then nobody gets the lock. The time
// of one waiter does not depend on the others, so the turns do not drift. A
// waiter that is late for longer than that goes to the end of the queue.
//
// Only the first of the queue is woken by a release. The owner of the lock is
// its value, as with Mutex.
type Fair struct{ locker }

// NewFair makes a fair lock. It sends nothing. All users of a key must have the
// same Config.Poll, or the most patient among them are passed over too early. A
// setting that cannot work is lock.ErrInvalid.
func NewFair(rdb Client, cfg Config) (*Fair, error) {
	if cfg.Poll == 0 {
		cfg.Poll = fairPoll
	}
	p := fair{engine.NewConn(rdb, cfg.Clock), cfg.Fencing, signsOfLife * cfg.Poll}
	l, err := newLocker(rdb, p, cfg)
	if err != nil {
		return nil, err
	}
	l.engine.Queued = true
	return &Fair{l}, nil
}

// fair implements engine.Protocol, with a queue.
type fair struct {
	conn    engine.Conn
	fencing bool
	// alive is how long a waiter counts as alive after each attempt.
	alive time.Duration
}

func queue(c engine.Claim) []string {
	return []string{c.Key, c.Beside("queue"), c.Beside("deadlines")}
}

// Grant takes the lock if it is free and nobody comes before the claim.
func (p fair) Grant(ctx context.Context, c engine.Claim) (engine.Outcome, error) {
	alive := int64(0)
	if c.Queued {
		alive = p.alive.Milliseconds()
	}
	return lua.FairAcquire.RunGrant(ctx, p.conn, c, p.fencing, queue(c), c.Owner, c.Millis(), alive)
}

// Renew lengthens the lease if the key still has the claim's owner.
func (p fair) Renew(ctx context.Context, c engine.Claim) (bool, error) {
	return lua.Renew.Run(ctx, p.conn, c, []string{c.Key}, c.Owner, c.Millis()).Bool()
}

// Release deletes the lock if it is the claim's, and takes the claim out of the
// queue if it is there.
func (p fair) Release(ctx context.Context, c engine.Claim) (bool, error) {
	return lua.FairRelease.Run(ctx, p.conn, c, queue(c), c.Owner, c.Channel).Bool()
}

// Remaining is what is left of the holder's lease or, if the lock is free, of
// the time that the first of the queue has to come for it.
func (p fair) Remaining(_ context.Context, _ engine.Claim, refused engine.Outcome) (time.Duration, error) {
	return engine.UntilExpired(refused.PTTL), nil
}
