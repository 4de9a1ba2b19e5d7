package etcdlock

import (
	"context"
	"errors"
	"fmt"

	"github.com/lockstep-sim/lockstep/impl/lock"
)

// errStale says that the session turned out to have ended before the claim
// entered the queue. Nothing was changed, so the claim may be made again.
var errStale = fmt.Errorf("%w before the lock was asked for", lock.ErrSessionExpired)

// errBusy is the reason why a try fails.
var errBusy = errors.New("somebody else holds it or waits for it")

// claim is one call's way to a grant: first a place in the queue, then the lock.
type claim struct {
	caller
	name    string // of the lock
	owner   string
	key     string // of the place in the queue
	s       *session
	tracked bool // a request that creates the key may have been carried out
	queued  bool // it had to wait

	// Guarded by s.mu.
	revision int64           // at which key was created, 0 before
	end      func(err error) // called when the session ends
}

// attempt makes one claim and sees it through.
func (l *Locker) attempt(ctx context.Context, name string, req lock.Request, way func(*claim, context.Context) error) (lock.Lease, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	waiting, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	c := &claim{
		caller: l.caller, name: name, owner: l.cfg.NewOwner(),
		end: func(reason error) { stop(expired(reason)) },
	}
	var err error
	if c.s, err = l.join(ctx, c, req); err != nil {
		return nil, err
	}
	c.key = entryKey(name, c.s.id, c.owner)
	lease, err := c.proceed(waiting, req, way)
	if err == nil {
		return lease, nil
	}
	if waiting.Err() != nil && !errors.Is(err, errStale) {
		err = ctx.Err()
		if err == nil { // it was not the caller but the session that ended
			err = context.Cause(waiting)
		}
	}
	return nil, c.withdraw(ctx, err)
}

// proceed takes the claim to the head of the queue and makes a lease of it.
func (c *claim) proceed(ctx context.Context, req lock.Request, way func(*claim, context.Context) error) (*Lease, error) {
	if err := way(c, ctx); err != nil {
		return nil, err
	}
	return c.grant(ctx, req)
}

// expired tells a waiter why its session has ended.
func expired(reason error) error {
	if errors.Is(reason, lock.ErrSessionExpired) {
		return reason
	}
	return fmt.Errorf("%w: %w", lock.ErrSessionExpired, reason)
}

// grant turns a claim at the head of the queue into a lease.
func (c *claim) grant(ctx context.Context, req lock.Request) (*Lease, error) {
	info := lock.GrantInfo{Key: c.name, Owner: c.owner, Token: lock.Token(c.revision), HasToken: true}
	lease := &Lease{c: c}
	if req.Fixed {
		start, err := c.fix(ctx)
		if err != nil {
			return nil, err
		}
		lease.fixed = req.TTL
		info.Deadline = start.Add(req.TTL)
	}
	lease.Grant = lock.NewGrant(c.clk, info)
	if !c.s.hold(c, func(reason error) { lease.End(reason) }) {
		lease.End(lock.ErrSessionExpired)
		return nil, expired(c.s.life.Err())
	}
	return lease, nil
}

// withdraw leaves the queue, whatever has become of ctx, and returns the reason.
func (c *claim) withdraw(ctx context.Context, reason error) error {
	ctx = context.WithoutCancel(ctx)
	defer c.s.detach(ctx, c)
	if !c.tracked || errors.Is(c.s.life.Err(), lock.ErrSessionExpired) {
		return reason // no key, or etcd has removed it
	}
	_, _, err := c.txn(ctx, Txn{Then: []Op{Delete(c.key)}})
	if err != nil {
		c.s.orphan(c.key)
		return fmt.Errorf("%w: %w: remove %s: %w", reason, lock.ErrUnknownOutcome, c.key, err)
	}
	return reason
}
