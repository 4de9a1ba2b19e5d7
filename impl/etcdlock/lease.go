package etcdlock

import (
	"context"
	"fmt"
	"time"

	"github.com/lockstep-sim/lockstep/impl/lock"
)

// Lease is one grant of a lock: a [lock.Lease] and a [lock.Renewer].
type Lease struct {
	*lock.Grant
	c     *claim
	fixed time.Duration // of a lease that is not renewed in the background
}

var (
	_ lock.Lease   = (*Lease)(nil)
	_ lock.Renewer = (*Lease)(nil)
)

// Deadline implements [lock.Lease]. Unless the lease is fixed it is the deadline
// of the session, which all grants on it share.
func (l *Lease) Deadline() time.Time {
	if l.fixed != 0 {
		return l.Grant.Deadline()
	}
	return l.c.s.life.Deadline()
}

// EntryKey is the etcd key of this grant. It exists for as long as the grant
// holds the lock; see [Lease.IsOwner].
func (l *Lease) EntryKey() string { return l.c.key }

// Release implements [lock.Lease]. It deletes the key of this grant and nothing
// else: repeated after a lost answer it cannot touch a later grant. If it fails,
// the key is deleted with the next renewal of the session that succeeds, or
// vanishes with the session.
func (l *Lease) Release(ctx context.Context) error {
	l.checkDeadline()
	if !l.End(lock.ErrReleased) {
		return fmt.Errorf("etcdlock: release %q: %w: %w", l.Key(), lock.ErrNotHeld, l.Err())
	}
	if err := l.c.release(ctx); err != nil {
		return fmt.Errorf("etcdlock: release %q: %w", l.Key(), err)
	}
	return nil
}

// Renew implements [lock.Renewer]. It renews the session, and with it all grants
// that live on it, and makes sure that this grant still has its key.
func (l *Lease) Renew(ctx context.Context) error {
	l.checkDeadline()
	if err := l.Err(); err != nil {
		return fmt.Errorf("etcdlock: renew %q: %w: %w", l.Key(), lock.ErrNotHeld, err)
	}
	if err := l.renew(ctx); err != nil {
		return fmt.Errorf("etcdlock: renew %q: %w", l.Key(), err)
	}
	return nil
}

func (l *Lease) renew(ctx context.Context) error {
	start, err := l.c.s.prolong(ctx)
	if err != nil {
		return err
	}
	res, _, err := l.c.txn(ctx, Txn{If: []Compare{l.held()}})
	switch {
	case err != nil:
		return err
	case !res.Succeeded:
		l.c.s.lose(l.c)
	case l.fixed != 0:
		l.Extend(start.Add(l.fixed))
	}
	if err := l.Err(); err != nil {
		return fmt.Errorf("%w: %w", lock.ErrNotHeld, err)
	}
	return nil
}

// checkDeadline ends a lease whose time has run out although no timer has said
// so yet.
func (l *Lease) checkDeadline() {
	l.c.s.alive()
	if !l.c.clk.Now().Before(l.Deadline()) {
		l.End(lock.ErrLost)
	}
}

// held is the comparison that holds while the grant does.
func (l *Lease) held() Compare {
	return Compare{Key: l.c.key, CreateRevision: l.c.revision}
}

// release deletes the key of a granted claim.
func (c *claim) release(ctx context.Context) error {
	defer c.s.detach(ctx, c)
	c.s.quiesce()
	res, first, err := c.txn(ctx, Txn{
		If:   []Compare{{Key: c.key, CreateRevision: c.revision}},
		Then: []Op{Delete(c.key)},
	})
	switch {
	case err != nil:
		c.s.orphan(c.key)
		return fmt.Errorf("%w: %w", lock.ErrUnknownOutcome, err)
	case res.Succeeded:
		return nil
	case !first && c.s.alive():
		return nil // the lease has lived on, so our own first attempt did it
	}
	return fmt.Errorf("%w: the key is gone from etcd", lock.ErrNotHeld)
}
