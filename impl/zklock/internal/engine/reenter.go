package engine

import (
	"context"
	"fmt"

	"github.com/lockstep-sim/lockstep/impl/clock"
	"github.com/lockstep-sim/lockstep/impl/lock"
)

// errUpgrade: two readers who both want to write would wait for each other.
var errUpgrade = fmt.Errorf("%w: a reader cannot become a writer; release first", lock.ErrInvalid)

// reenter joins the hold that the owner has, or makes one. ZooKeeper knows
// nothing of owners: the same one in another process is somebody else.
func (e *Engine) reenter(ctx context.Context, t *Ticket, patient bool) (*Lease, error) {
	k := ownerKey{t.key, t.owner}
	for {
		h, l, err := e.join(k, t)
		switch {
		case l != nil || err != nil:
			return l, err
		case h.t == t:
			return e.enterOwned(ctx, t, h, patient)
		case !patient && !h.decided.IsSet():
			return nil, notAcquired(ErrHeld) // the owner itself is still waiting
		}
		if err := h.decided.Wait(ctx, clock.NoLimit); err != nil {
			return nil, notAcquired(err)
		}
	}
}

// join enters the owner's hold if there is one that has begun. Otherwise it
// returns the hold to wait for, which is a new one of t where there was none.
func (e *Engine) join(k ownerKey, t *Ticket) (*Hold, *Lease, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	h := e.owned[k]
	switch {
	case h == nil:
		h = e.newHold(t)
		e.owned[k] = h
		return h, nil, nil
	case !h.decided.IsSet():
		return h, nil, nil
	case h.shared && t.kind == Write:
		return nil, nil, errUpgrade
	}
	return h, h.add(t.kind), nil
}

func (e *Engine) enterOwned(ctx context.Context, t *Ticket, h *Hold, patient bool) (*Lease, error) {
	defer h.decided.Set()
	l, err := e.enter(ctx, t, h, patient)
	if err != nil {
		h.forget()
	}
	return l, err
}
