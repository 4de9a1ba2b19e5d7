package engine

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/lockstep-sim/lockstep/impl/clock"
	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/zklock/zkconn"
)

func (e *Engine) queue(ctx context.Context, t *Ticket, patient bool) error {
	if err := e.Enqueue(ctx, t); err != nil {
		return err
	}
	return e.Await(ctx, t, patient)
}

// Enqueue makes the ticket's node. It runs in a task of its own, which goes on
// when ctx ends: only the answer tells what there is to clean up, and a request
// that is left alone may be carried out after the clean-up.
func (e *Engine) Enqueue(ctx context.Context, t *Ticket) error {
	t.settled = e.clk.NewEvent()
	if e.isClosed() {
		t.settled.Set()
		return lock.ErrClosed
	}
	var err error
	e.tasks.run(func() {
		defer t.settled.Set()
		err = e.place(context.WithoutCancel(ctx), t)
	})
	if waitErr := t.settled.Wait(ctx, clock.NoLimit); waitErr != nil {
		return waitErr
	}
	return err
}

// place creates the node, and its parents where they are missing, until there is
// an answer that says so. It gives up when the session cannot be alive any more.
func (e *Engine) place(ctx context.Context, t *Ticket) error {
	giveUp := e.clk.Now().Add(e.patience())
	for {
		err := e.create(ctx, t)
		switch {
		case err == nil:
			return e.attribute(ctx, t)
		case errors.Is(err, zkconn.ErrNoNode):
			if err := e.ensure(ctx, t, t.parent); err != nil {
				return err
			}
		case answered(err) || over(err):
			return err
		default: // no answer came: look what became of it, once there is a connection
			if err := e.clk.Sleep(ctx, retryPause); err != nil {
				return err
			}
			if found, err := e.Find(ctx, t); found || err != nil {
				return err
			}
		}
		if !e.clk.Now().Before(giveUp) {
			return fmt.Errorf("no node in the queue after %v: %w", e.patience(), err)
		}
	}
}

func (e *Engine) create(ctx context.Context, t *Ticket) error {
	t.session, t.doubt = e.conn.Session(), true
	sent := e.clk.Now()
	p, mode := e.Node(t)
	n, err := e.conn.Create(ctx, p, mode)
	if err == nil {
		t.contact, t.name, t.czxid = sent, path.Base(n.Path), n.Czxid
	}
	if answered(err) {
		t.doubt = false
	}
	return err
}

// attribute makes sure that the node belongs to the session of now: the one
// before may have ended while the create was under way.
func (e *Engine) attribute(ctx context.Context, t *Ticket) error {
	if now := e.conn.Session(); now.ID != 0 && now.ID == t.session.ID {
		t.session = now
		return nil
	}
	n, err := e.get(ctx, t, t.path())
	if errors.Is(err, zkconn.ErrNoNode) {
		return lock.ErrSessionExpired
	}
	if err != nil {
		return err
	}
	if t.session = e.conn.Session(); n.Owner != t.session.ID {
		return lock.ErrSessionExpired
	}
	return nil
}

// node is a place at the end of the queue.
func node(t *Ticket) (path string, mode zkconn.Mode) { return t.prefix(), zkconn.EphemeralSequential }

// own looks for the node by the id in its name.
func (e *Engine) own(ctx context.Context, t *Ticket) (string, error) {
	names, err := e.conn.Children(ctx, t.parent)
	for _, name := range names {
		if strings.HasPrefix(name, t.protected()) {
			return name, nil
		}
	}
	return "", err
}

// find adopts the node that the server has for the ticket. One that a former
// session made is none: it will go when the server ends that session, so it is
// removed at once and the next one gets another name.
func (e *Engine) find(ctx context.Context, t *Ticket) (bool, error) {
	name, err := request(ctx, e, t, func(ctx context.Context) (string, error) { return e.Own(ctx, t) })
	if errors.Is(err, zkconn.ErrNoNode) || err == nil && name == "" {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return e.adopt(ctx, t, name)
}

func (e *Engine) adopt(ctx context.Context, t *Ticket, name string) (bool, error) {
	n, err := e.get(ctx, t, t.Sibling(name))
	if errors.Is(err, zkconn.ErrNoNode) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if s := e.conn.Session(); n.Owner == s.ID {
		t.name, t.czxid, t.session = name, n.Czxid, s
		return true, nil
	}
	err = e.delete(ctx, t, n.Path)
	t.id = e.cfg.NewOwner()
	if errors.Is(err, zkconn.ErrNoNode) {
		err = nil
	}
	return false, err
}

// ensure makes the persistent node p and those above it.
func (e *Engine) ensure(ctx context.Context, t *Ticket, p string) error {
	err := e.createPersistent(ctx, t, p)
	if errors.Is(err, zkconn.ErrNoNode) && path.Dir(p) != "/" {
		if err := e.ensure(ctx, t, path.Dir(p)); err != nil {
			return err
		}
		err = e.createPersistent(ctx, t, p)
	}
	if errors.Is(err, zkconn.ErrNodeExists) || errors.Is(err, zkconn.ErrNoNode) {
		return nil // somebody else made it, or has removed one above it: the caller tries again
	}
	return err
}
