package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/zklock/zkconn"
)

// passMark is the data of a node that lets those behind it look again although
// it is still there. A new node has no data.
const passMark = "pass"

// passOn tells the one behind a permit that has been granted: it has watched
// that node, and is now the next. Where nobody was behind, nobody watches.
func (e *Engine) passOn(ctx context.Context, t *Ticket) error {
	if t.kind != Permit || !t.crowded {
		return nil
	}
	err := e.set(ctx, t, passMark)
	if errors.Is(err, zkconn.ErrNoNode) {
		return fmt.Errorf("%w: its node was deleted", lock.ErrLost)
	}
	return err
}

// letPass lets readers pass a writer that reads on. It is tried until it is done
// or the hold has ended: until then the readers only wait longer than they must.
func (e *Engine) letPass(ctx context.Context, t *Ticket) error {
	ctx, cancel := e.clk.WithTimeout(ctx, e.requestTimeout())
	defer cancel()
	err := e.set(ctx, t, passMark)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, zkconn.ErrNoNode):
		return lock.ErrNotHeld
	case answered(err):
		return err
	}
	e.insist(t, func(ctx context.Context) error { return e.conn.Set(ctx, t.path(), []byte(passMark)) })
	return fmt.Errorf("%w: %w", lock.ErrUnknownOutcome, err)
}
