package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/lockstep-sim/lockstep/impl/lock"
)

// Lease implements lock.Lease and lock.Renewer.
type Lease struct {
	*lock.Grant
	engine *Engine
	claim  Claim
	// stopRenewal returns when no renewal is under way, and none follows.
	stopRenewal func()
}

// newLease starts a lease whose granted request was sent at the given time.
func (e *Engine) newLease(c Claim, out Outcome, sent time.Time) *Lease {
	l := &Lease{
		Grant: lock.NewGrant(e.clk, lock.GrantInfo{
			Key: c.Key, Owner: c.Owner,
			Token: out.Token, HasToken: out.HasToken,
			Deadline: c.deadline(sent),
		}),
		engine: e, claim: c, stopRenewal: func() {},
	}
	if !c.Fixed {
		l.stopRenewal = e.Watch(l, lock.Renewal{
			From:    sent,
			Every:   e.cfg.renewEvery(c.TTL),
			Timeout: c.Timeout,
			Renew:   l.prolong,
		})
	}
	return l
}

// watch is the Watch of every correct lock.
func (e *Engine) watch(l *Lease, r lock.Renewal) (stop func()) {
	return lock.StartWatchdog(e.clk, l.Grant, r).Stop
}

// Claim is what the lease was granted for.
func (l *Lease) Claim() Claim { return l.claim }

// Release implements lock.Lease. The request is sent even when the lease has
// ended, since the server may see that later than the holder: it is checked
// against the owner and so cannot harm a successor.
func (l *Lease) Release(ctx context.Context) error {
	l.stopRenewal()
	lost := l.endForRelease()
	released, err := l.engine.protocol.Release(ctx, l.claim)
	switch {
	case err != nil && lost:
		err = fmt.Errorf("%w: %w", lock.ErrNotHeld, err)
	case err != nil && !ChangedNothing(err):
		err = fmt.Errorf("%w, it may last until its time runs out: %w", lock.ErrUnknownOutcome, err)
	case err == nil && (lost || !released):
		err = lock.ErrNotHeld
	}
	return describe("release", l.claim, err)
}

// endForRelease ends the lease before the release is sent, so that the holder
// never believes in a lock that the server has given away. It reports whether
// the lease had been lost. A process that was paused may get here before its
// timer does, hence the look at the clock.
func (l *Lease) endForRelease() (lost bool) {
	reason := lock.ErrReleased
	if !l.engine.clk.Now().Before(l.Deadline()) {
		reason = lock.ErrLost
	}
	l.End(reason)
	return errors.Is(l.Err(), lock.ErrLost)
}

// Renew implements lock.Renewer.
func (l *Lease) Renew(ctx context.Context) error {
	if errors.Is(l.Err(), lock.ErrReleased) {
		return describe("renew", l.claim, lock.ErrNotHeld)
	}
	deadline, err := l.prolong(ctx)
	if err == nil && !l.Extend(deadline) {
		err = lock.ErrNotHeld
	}
	if errors.Is(err, lock.ErrNotHeld) {
		l.End(lock.ErrLost)
	}
	return describe("renew", l.claim, err)
}

// prolong sends one renewal and returns the deadline that it gives.
func (l *Lease) prolong(ctx context.Context) (time.Time, error) {
	deadline := l.claim.deadline(l.engine.clk.Now())
	held, err := l.engine.protocol.Renew(ctx, l.claim)
	switch {
	case err != nil:
		return time.Time{}, err
	case !held:
		return time.Time{}, lock.ErrNotHeld
	case l.Err() != nil:
		return time.Time{}, l.giveBack(ctx)
	}
	return deadline, nil
}

// giveBack frees a lock that the server has prolonged for a lease that ended on
// this side meanwhile. An ended lease is not revived, and nobody else knows the
// owner under which the lock would stay taken for another TTL.
func (l *Lease) giveBack(ctx context.Context) error {
	if _, err := l.engine.protocol.Release(context.WithoutCancel(ctx), l.claim); err != nil {
		return fmt.Errorf("%w: clean-up failed: %w", lock.ErrNotHeld, err)
	}
	return lock.ErrNotHeld
}

func describe(verb string, c Claim, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("redislock: %s %q: %w", verb, c.Key, err)
}
