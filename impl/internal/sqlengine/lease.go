package sqlengine

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
	engine   *Engine
	claim    Claim
	watchdog *lock.Watchdog
}

func (e *Engine) newLease(c Claim, token lock.Token, sent time.Time) *Lease {
	l := &Lease{
		Grant: lock.NewGrant(e.clk, lock.GrantInfo{
			Key: c.Key, Owner: c.Owner, Token: token, HasToken: true, Deadline: sent.Add(c.TTL),
		}),
		engine: e, claim: c,
	}
	if !c.Fixed {
		l.watchdog = lock.StartWatchdog(e.clk, l.Grant, lock.Renewal{
			From:    sent,
			Every:   e.cfg.renewEvery(c.TTL),
			Timeout: e.cfg.requestTimeout(c.TTL),
			Renew:   l.prolong,
		})
	}
	return l
}

// Release implements lock.Lease. The request is sent even when the lease has
// ended by time, since the database may see that later than the holder: it is
// checked against the owner and so cannot harm a successor.
func (l *Lease) Release(ctx context.Context) error {
	l.watchdog.Stop()
	if errors.Is(l.Err(), lock.ErrReleased) {
		return l.describe("release", lock.ErrNotHeld)
	}
	lost := l.endForRelease()
	released, err := l.giveBack(ctx)
	switch {
	case err != nil && lost:
		err = fmt.Errorf("%w: %w", lock.ErrNotHeld, err)
	case err != nil && !l.engine.changedNothing(err):
		err = fmt.Errorf("%w, it may last until its time runs out: %w", lock.ErrUnknownOutcome, err)
	case err == nil && (lost || !released):
		err = lock.ErrNotHeld
	}
	return l.describe("release", err)
}

// endForRelease ends the lease before the release is sent, so that the holder
// never believes in a lock that the database has given away. It reports whether
// the lease had been lost. A process that was paused may get here before its
// timer does, hence the look at the clock.
func (l *Lease) endForRelease() (lost bool) {
	reason := lock.ErrReleased
	if !l.inTime() {
		reason = lock.ErrLost
	}
	l.End(reason)
	return errors.Is(l.Err(), lock.ErrLost)
}

// giveBack sends the release, and once more when no answer came: the statement
// names the owner, so it can neither take effect twice nor harm a successor.
// When the second one finds nothing to release although the lease cannot have
// run out yet, then the first one was carried out and only its answer was lost.
// When it fails as well, the first error counts: what is certain of the second
// one, such as that it was never sent, is not certain of the first.
func (l *Lease) giveBack(ctx context.Context) (bool, error) {
	released, err := l.engine.release(ctx, l.claim)
	if err == nil || l.engine.changedNothing(err) || ctx.Err() != nil {
		return released, err
	}
	released, again := l.engine.release(ctx, l.claim)
	if again != nil {
		return false, fmt.Errorf("%w; tried again: %v", err, again)
	}
	return released || l.inTime(), nil
}

func (l *Lease) inTime() bool { return l.engine.clk.Now().Before(l.Deadline()) }

// Renew implements lock.Renewer.
func (l *Lease) Renew(ctx context.Context) error {
	if errors.Is(l.Err(), lock.ErrReleased) {
		return l.describe("renew", lock.ErrNotHeld)
	}
	deadline, err := l.prolong(ctx)
	if err == nil && !l.Extend(deadline) {
		err = lock.ErrNotHeld
	}
	if errors.Is(err, lock.ErrNotHeld) {
		l.End(lock.ErrLost)
	}
	return l.describe("renew", err)
}

// prolong sends one renewal and returns the deadline that it gives.
func (l *Lease) prolong(ctx context.Context) (time.Time, error) {
	deadline := l.engine.clk.Now().Add(l.claim.TTL)
	held, err := l.engine.renew(ctx, l.claim)
	switch {
	case err != nil:
		return time.Time{}, err
	case !held:
		return time.Time{}, lock.ErrNotHeld
	case l.Err() != nil:
		return time.Time{}, l.undo(ctx)
	}
	return deadline, nil
}

// undo frees a lock that the database has prolonged for a lease that ended on
// this side meanwhile. An ended lease is not revived, and nobody else knows the
// owner under which the lock would stay taken for another TTL.
func (l *Lease) undo(ctx context.Context) error {
	if _, err := l.engine.release(context.WithoutCancel(ctx), l.claim); err != nil {
		return fmt.Errorf("%w: clean-up failed: %w", lock.ErrNotHeld, err)
	}
	return lock.ErrNotHeld
}

func (l *Lease) describe(verb string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %s %q: %w", l.engine.cfg.Name, verb, l.claim.Key, err)
}
