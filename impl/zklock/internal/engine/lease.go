package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/zklock/zkconn"
)

// Lease is one entry into a hold. It implements lock.Lease and lock.Renewer.
type Lease struct {
	*lock.Grant
	hold *Hold
	kind Kind
}

// Deadline implements lock.Lease. It is that of the session, or of a fixed lease.
func (l *Lease) Deadline() time.Time { return l.hold.Deadline() }

// Renew implements lock.Renewer.
func (l *Lease) Renew(ctx context.Context) error {
	if l.Err() != nil {
		return fmt.Errorf("zklock: renew %q: %w", l.Key(), lock.ErrNotHeld)
	}
	deadline, err := once(ctx, l.hold.e, l.hold.renew)
	if err == nil && !l.hold.Extend(deadline) {
		err = lock.ErrNotHeld
	}
	if errors.Is(err, lock.ErrNotHeld) {
		l.hold.End(lock.ErrLost)
	}
	if err != nil {
		return fmt.Errorf("zklock: renew %q: %w", l.Key(), err)
	}
	return nil
}

// Release implements lock.Lease.
func (l *Lease) Release(ctx context.Context) error {
	if err := l.release(ctx); err != nil {
		return fmt.Errorf("zklock: release %q: %w", l.Key(), err)
	}
	return nil
}

func (l *Lease) release(ctx context.Context) error {
	h := l.hold
	last, downgrade, ok := h.leave(l)
	if !ok {
		return lock.ErrNotHeld
	}
	if last {
		return h.close(ctx, l)
	}
	if !l.End(lock.ErrReleased) {
		return lock.ErrNotHeld
	}
	if downgrade {
		return h.e.letPass(ctx, h.t)
	}
	return nil
}

// leave takes a lease out of its hold: it is released now, once. It reports
// whether it was the last one, and whether only readers are left.
func (h *Hold) leave(l *Lease) (last, downgrade, ok bool) {
	h.e.mu.Lock()
	defer h.e.mu.Unlock()
	if _, ok := h.leases[l]; !ok {
		return false, false, false
	}
	delete(h.leases, l)
	if l.kind != Read {
		h.writes--
	}
	last = len(h.leases) == 0
	if k := (ownerKey{h.t.key, h.t.owner}); last && h.e.owned[k] == h {
		delete(h.e.owned, k) // whoever enters from now on needs a node of its own
	}
	if !last && h.writes == 0 && !h.shared {
		h.shared = true
		return false, true, true
	}
	return last, false, true
}

// close ends a hold with its last lease. The renewal has ended before the node
// is deleted.
func (h *Hold) close(ctx context.Context, l *Lease) error {
	h.stop()
	released := h.End(lock.ErrReleased)
	l.End(h.Err())
	if !released {
		return lock.ErrNotHeld
	}
	return h.e.remove(ctx, h.t)
}

// remove deletes the node of a hold that was valid until now. That it is not
// there means that the hold was lost unnoticed, unless an earlier request of the
// same release has deleted it and its answer was lost.
func (e *Engine) remove(ctx context.Context, t *Ticket) error {
	ctx, cancel := e.clk.WithTimeout(ctx, e.requestTimeout())
	defer cancel()
	for first := true; ; first = false {
		if e.conn.Session().ID != t.session.ID {
			return lock.ErrNotHeld
		}
		err := e.conn.Delete(ctx, t.path())
		switch {
		case err == nil:
			e.renewCounter(ctx, t)
			return nil
		case errors.Is(err, zkconn.ErrNoNode) && first, errors.Is(err, zkconn.ErrSessionExpired):
			return lock.ErrNotHeld
		case errors.Is(err, zkconn.ErrNoNode):
			return nil
		case answered(err):
			return err
		}
		if ctx.Err() != nil || over(err) || e.clk.Sleep(ctx, retryPause) != nil {
			e.discard(t)
			return fmt.Errorf("%w: %w", lock.ErrUnknownOutcome, err)
		}
	}
}

// renewCounter lets a queue begin again at number 0 whose sequence numbers have
// run out: its parent goes, if it is empty, and is made anew by the next who
// comes. It does not matter if that fails.
func (e *Engine) renewCounter(ctx context.Context, t *Ticket) {
	if seq, ok := sequence(t.name, t.kind); ok && (Entry{Seq: seq}).ranOut() {
		_ = e.conn.Delete(ctx, t.parent)
	}
}
