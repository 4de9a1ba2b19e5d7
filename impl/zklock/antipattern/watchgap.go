package antipattern

import (
	"context"
	"errors"

	"github.com/lockstep-sim/lockstep/impl/clock"
	"github.com/lockstep-sim/lockstep/impl/zklock"
	"github.com/lockstep-sim/lockstep/impl/zklock/internal/engine"
	"github.com/lockstep-sim/lockstep/impl/zklock/zkconn"
)

// WatchGap is WRONG: when the node to watch is not there any more, it waits for
// its end all the same. Between the list and the watch the predecessor may have
// gone; its end is past, and nothing will ever wake the waiter, behind which
// everybody else waits too. Instead: list again.
//
// It implements lock.Locker.
type WatchGap struct {
	queue
	conn zkconn.Conn
	clk  clock.Clock
}

// NewWatchGap makes one; the arguments are those of zklock.New.
func NewWatchGap(conn zkconn.Conn, cfg zklock.Config) (*WatchGap, error) {
	q, err := newQueue(conn, cfg)
	if err != nil {
		return nil, err
	}
	g := &WatchGap{queue: q, conn: conn, clk: clock.Or(cfg.Clock)}
	correct := q.engine.Await
	q.engine.Await = func(ctx context.Context, t *engine.Ticket, patient bool) error {
		if !patient {
			return correct(ctx, t, patient)
		}
		return g.await(ctx, t)
	}
	return g, nil
}

func (g *WatchGap) await(ctx context.Context, t *engine.Ticket) error {
	for {
		q, own, err := g.engine.Look(ctx, t)
		if err != nil {
			return err
		}
		step, granted := t.Next(q, own)
		if granted {
			return nil
		}
		if err := g.waitFor(ctx, t.Sibling(step.WaitFor)); err != nil {
			return err
		}
	}
}

// waitFor makes the mistake.
func (g *WatchGap) waitFor(ctx context.Context, path string) error {
	gone := g.clk.NewSignal()
	_, stop, err := g.conn.Watch(ctx, path, gone.Notify)
	switch {
	case err == nil:
		defer stop()
	case !errors.Is(err, zkconn.ErrNoNode):
		return err
	}
	return gone.Wait(ctx, clock.NoLimit)
}
