package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/lockstep-sim/lockstep/impl/clock"
	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/zklock/zkconn"
)

// ErrHeld is the answer to an attempt that does not wait.
var ErrHeld = errors.New("another owner holds it or is ahead in the queue")

// await looks at the queue, waits for what stands in the way, and looks again.
// That the node it waited for has gone does not make it the ticket's turn: the
// node may have given up, with others still before it.
func (e *Engine) await(ctx context.Context, t *Ticket, patient bool) error {
	passed := make(map[string]bool)
	for {
		q, own, err := e.Look(ctx, t)
		if err != nil {
			return err
		}
		step := t.turn.Next(q, own, passed)
		switch {
		case step.granted():
			// After a pause since the look, the session may be over.
			if e.clk.Now().Before(t.contact.Add(t.session.Timeout)) {
				t.crowded = len(q) > own+1
				return nil
			}
		case !patient:
			err = e.glance(ctx, t, step, passed)
		case step.AnyChange:
			err = e.waitForChange(ctx, t, q)
		default:
			err = e.WaitFor(ctx, t, step, passed)
		}
		if err != nil {
			return err
		}
	}
}

// Look lists the queue in order and finds the ticket's place in it. A ticket
// that has none has lost its session, or somebody deleted its node.
func (e *Engine) Look(ctx context.Context, t *Ticket) (q []Entry, own int, err error) {
	if e.isClosed() {
		return nil, 0, lock.ErrClosed
	}
	names, err := e.children(ctx, t)
	if err != nil && !errors.Is(err, zkconn.ErrNoNode) {
		return nil, 0, err
	}
	q, err = e.InOrder(ctx, t, parse(names, t.turn.Kinds()))
	if err != nil {
		return nil, 0, err
	}
	own = slices.IndexFunc(q, func(x Entry) bool { return x.Name == t.name })
	switch {
	case e.conn.Session().ID != t.session.ID:
		return nil, 0, lock.ErrSessionExpired
	case own < 0:
		return nil, 0, fmt.Errorf("%w: its node was deleted", lock.ErrLost)
	}
	return q, own, nil
}

// WaitFor waits until a node ends or lets others pass. It returns without
// waiting when that is so already.
func (e *Engine) WaitFor(ctx context.Context, t *Ticket, step Step, passed map[string]bool) error {
	type watched struct {
		node zkconn.Node
		stop func()
	}
	signal := e.clk.NewSignal()
	w, err := request(ctx, e, t, func(ctx context.Context) (watched, error) {
		n, stop, err := e.conn.Watch(ctx, t.Sibling(step.WaitFor), signal.Notify)
		return watched{n, stop}, err
	})
	if errors.Is(err, zkconn.ErrNoNode) {
		return nil // it went between the look and the watch
	}
	if err != nil {
		return err
	}
	defer w.stop()
	if step.MayPass && len(w.node.Data) > 0 {
		passed[step.WaitFor] = true
		return nil
	}
	return e.sleep(ctx, t, signal)
}

// waitForChange waits until the queue is no longer q.
func (e *Engine) waitForChange(ctx context.Context, t *Ticket, q []Entry) error {
	type watched struct {
		names []string
		stop  func()
	}
	signal := e.clk.NewSignal()
	w, err := request(ctx, e, t, func(ctx context.Context) (watched, error) {
		names, stop, err := e.conn.WatchChildren(ctx, t.parent, signal.Notify)
		return watched{names, stop}, err
	})
	if errors.Is(err, zkconn.ErrNoNode) {
		return nil // the look to come says what that means
	}
	if err != nil {
		return err
	}
	defer w.stop()
	if !same(parse(w.names, t.turn.Kinds()), q) {
		return nil // it changed between the look and the watch
	}
	return e.sleep(ctx, t, signal)
}

// same reports whether two lists have the same nodes, in whatever order.
func same(a, b []Entry) bool {
	if len(a) != len(b) {
		return false
	}
	names := make(map[string]bool, len(a))
	for _, x := range a {
		names[x.Name] = true
	}
	return !slices.ContainsFunc(b, func(x Entry) bool { return !names[x.Name] })
}

// glance is WaitFor for those who do not wait.
func (e *Engine) glance(ctx context.Context, t *Ticket, step Step, passed map[string]bool) error {
	if !step.MayPass {
		return ErrHeld
	}
	n, err := e.get(ctx, t, t.Sibling(step.WaitFor))
	switch {
	case errors.Is(err, zkconn.ErrNoNode):
		return nil
	case err != nil:
		return err
	case len(n.Data) == 0:
		return ErrHeld
	}
	passed[step.WaitFor] = true
	return nil
}

// sleep waits for the notification of a watch. It comes when the session ends,
// too. Should one be lost all the same, or the ticket's own node be deleted, a
// look once in a session timeout finds out.
func (e *Engine) sleep(ctx context.Context, t *Ticket, signal clock.Signal) error {
	e.mu.Lock()
	e.waiting[t] = signal
	closed := e.closed
	e.mu.Unlock()
	if closed {
		signal.Notify()
	}
	err := signal.Wait(ctx, t.session.Timeout)
	e.mu.Lock()
	delete(e.waiting, t)
	e.mu.Unlock()
	if errors.Is(err, clock.ErrTimeout) {
		return nil
	}
	return err
}
