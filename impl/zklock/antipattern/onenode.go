package antipattern

import (
	"context"
	"errors"

	"github.com/lockstep-sim/lockstep/impl/zklock"
	"github.com/lockstep-sim/lockstep/impl/zklock/internal/engine"
	"github.com/lockstep-sim/lockstep/impl/zklock/zkconn"
)

// OneNode is WRONG for more than a few waiters: all contend for one ephemeral
// node, whose maker has the lock. It is freed as a place in a queue is, when its
// session ends, but its end wakes everybody who waits, one of them makes it anew,
// whoever is quickest, and there is no order. Instead: let each have a node of its
// own, in a queue.
//
// The node tells the session and not the attempt: a client makes one attempt at a
// time for a key.
//
// It implements lock.Locker.
type OneNode struct{ queue }

// NewOneNode makes one; the arguments are those of zklock.New.
func NewOneNode(conn zkconn.Conn, cfg zklock.Config) (*OneNode, error) {
	q, err := newQueue(conn, cfg)
	if err != nil {
		return nil, err
	}
	n := oneNode{q.engine, conn}
	q.engine.Node, q.engine.Own, q.engine.Queue = n.node, n.own, n.contend
	return &OneNode{q}, nil
}

// theNode is the name of the node for which all contend, below that of the key.
const theNode = "lock"

type oneNode struct {
	engine *engine.Engine
	conn   zkconn.Conn
}

func (oneNode) node(t *engine.Ticket) (path string, mode zkconn.Mode) {
	return t.Sibling(theNode), zkconn.Ephemeral
}

// own needs no id in the name: the node says whose session made it.
func (n oneNode) own(ctx context.Context, t *engine.Ticket) (string, error) {
	node, err := n.conn.Get(ctx, t.Sibling(theNode))
	if err != nil || node.Owner != n.conn.Session().ID {
		return "", err
	}
	return theNode, nil
}

// contend makes the node, or waits until it is gone and tries again.
func (n oneNode) contend(ctx context.Context, t *engine.Ticket, patient bool) error {
	for {
		err := n.engine.Enqueue(ctx, t)
		switch {
		case !errors.Is(err, zkconn.ErrNodeExists):
			return err
		case !patient:
			return engine.ErrHeld
		}
		if err := n.engine.WaitFor(ctx, t, engine.Step{WaitFor: theNode}, nil); err != nil {
			return err
		}
	}
}
