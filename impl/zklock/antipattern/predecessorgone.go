package antipattern

import (
	"context"

	"github.com/lockstep-sim/lockstep/impl/clock"
	"github.com/lockstep-sim/lockstep/impl/zklock"
	"github.com/lockstep-sim/lockstep/impl/zklock/internal/engine"
	"github.com/lockstep-sim/lockstep/impl/zklock/zkconn"
)

// PredecessorGone is WRONG: when the node before its own goes, it takes the lock
// without looking at the queue again. The node may have belonged to a waiter that
// gave up, and the holder is still there: two holders. Instead: list again, and
// watch whoever is before now.
//
// It implements lock.Locker.
type PredecessorGone struct{ queue }

// NewPredecessorGone makes one; the arguments are those of zklock.New.
func NewPredecessorGone(conn zkconn.Conn, cfg zklock.Config) (*PredecessorGone, error) {
	q, err := newQueue(conn, cfg)
	if err != nil {
		return nil, err
	}
	p := &PredecessorGone{q}
	correct, clk := q.engine.Await, clock.Or(cfg.Clock)
	q.engine.Await = func(ctx context.Context, t *engine.Ticket, patient bool) error {
		if !patient {
			return correct(ctx, t, patient)
		}
		return p.await(ctx, clk, t)
	}
	return p, nil
}

// await makes the mistake.
func (p *PredecessorGone) await(ctx context.Context, clk clock.Clock, t *engine.Ticket) error {
	q, own, err := p.engine.Look(ctx, t)
	if err != nil {
		return err
	}
	step, granted := t.Next(q, own)
	if granted {
		return nil
	}
	err = p.engine.WaitFor(ctx, t, step, nil)
	t.Heard(clk.Now())
	return err
}
