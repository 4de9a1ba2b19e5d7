package etcdstore

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/lockstep-sim/lockstep/impl/clock"
	"github.com/lockstep-sim/lockstep/impl/etcdlock"
	"github.com/lockstep-sim/lockstep/sim/kernel"
	"github.com/lockstep-sim/lockstep/sim/network"
	"github.com/lockstep-sim/lockstep/sim/store/etcdstore/model"
	"github.com/lockstep-sim/lockstep/sim/trace"
)

// errBroken is what a client makes of a connection that has broken.
var errBroken = errors.New("the connection to etcd is broken")

// errOver is for what unwinding tasks still try to send.
var errOver = errors.New("the run is over")

// Client is one process's client of a node. It makes its connection again when
// that has broken.
type Client struct {
	node  *Node
	proc  *kernel.Process
	link  *network.Link
	calls []*call // without an answer, oldest first
	open  []*watch
}

var _ etcdlock.Store = (*Client)(nil)

// Client connects proc.
func (n *Node) Client(proc *kernel.Process) *Client { return &Client{node: n, proc: proc} }

// call is a request that waits for its answer.
type call struct {
	link *network.Link
	done clock.Event
	err  error
}

func (c *call) end(err error) {
	if !c.done.IsSet() {
		c.err = err
		c.done.Set()
	}
}

// connection is the connection, made anew if it has broken.
func (c *Client) connection() *network.Link {
	if c.link == nil || c.link.Broken() {
		link := c.node.net.Dial(c.proc, c.node.Name())
		link.OnBreak(func() { c.broken(link) })
		link.OnClose(func() { c.node.hangUp(link) })
		c.link = link
	}
	return c.link
}

// broken fails what waits for an answer or an event on a connection.
func (c *Client) broken(link *network.Link) {
	for _, call := range c.calls {
		if call.link == link {
			call.end(errBroken)
		}
	}
	for _, w := range c.open {
		if w.link == link {
			w.lose()
		}
	}
}

// send sends a request and waits for its answer. execute says at the node what
// the answer is, in a few words, and what else there is to record.
func (c *Client) send(ctx context.Context, r *network.Request, execute func(*trace.Event) error) error {
	if c.node.net.Kernel().Closing() {
		return errOver
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	link := c.connection()
	pending := &call{link: link, done: c.proc.Clock().NewEvent()}
	c.calls = append(c.calls, pending)
	link.Send(r, func() { c.arrive(link, r, pending, execute) })
	err := pending.done.Wait(ctx, clock.NoLimit)
	c.calls = slices.DeleteFunc(c.calls, func(o *call) bool { return o == pending })
	if err != nil {
		return err
	}
	return pending.err
}

// arrive is the execution of a request at the node.
func (c *Client) arrive(link *network.Link, r *network.Request, pending *call, execute func(*trace.Event) error) {
	n := c.node
	if n.killed {
		link.Refuse(r)
		return
	}
	e := trace.Event{Actor: n.Name(), Kind: trace.KindExec, Text: r.Text, Peer: c.proc.Name(), Msg: r.ID}
	err := execute(&e)
	if errors.Is(err, model.ErrEnding) {
		n.ending = append(n.ending, func() { c.arrive(link, r, pending, execute) })
		return
	}
	if err != nil {
		e.Reply = reason(err)
	}
	n.settle(&e)
	n.rec.Add(e)
	link.Answer(r, e.Reply, func() { pending.end(err) })
	n.push()
}

func reason(err error) string {
	if errors.Is(err, etcdlock.ErrLeaseNotFound) {
		return "lease not found"
	}
	return err.Error()
}

// Grant implements etcdlock.Store.
func (c *Client) Grant(ctx context.Context, id etcdlock.LeaseID, ttl time.Duration) (granted time.Duration, err error) {
	text := "GRANT " + leaseName(id) + " " + trace.Instant(int64(ttl))
	err = c.send(ctx, &network.Request{Command: "GRANT", Text: text}, func(e *trace.Event) error {
		granted = c.node.machine.Grant(c.node.now(), id, ttl)
		c.node.granted[id] = c.proc.Name()
		e.Reply = trace.Instant(int64(granted))
		return nil
	})
	return granted, err
}

// KeepAlive implements etcdlock.Store.
func (c *Client) KeepAlive(ctx context.Context, id etcdlock.LeaseID) (ttl time.Duration, err error) {
	err = c.send(ctx, &network.Request{Command: "KEEPALIVE", Text: "KEEPALIVE " + leaseName(id)}, func(e *trace.Event) (err error) {
		ttl, err = c.node.machine.KeepAlive(c.node.now(), id)
		e.Reply = trace.Instant(int64(ttl))
		return err
	})
	return ttl, err
}

// Revoke implements etcdlock.Store.
func (c *Client) Revoke(ctx context.Context, id etcdlock.LeaseID) error {
	return c.send(ctx, &network.Request{Command: "REVOKE", Text: "REVOKE " + leaseName(id)}, func(e *trace.Event) error {
		e.Reply = "ok"
		return c.node.machine.Revoke(id)
	})
}

// Txn implements etcdlock.Store.
func (c *Client) Txn(ctx context.Context, txn etcdlock.Txn) (res etcdlock.Result, err error) {
	r := &network.Request{Command: command(txn), Text: describe(txn)}
	err = c.send(ctx, r, func(e *trace.Event) (err error) {
		before := c.node.machine.Revision()
		if res, err = c.node.machine.Txn(txn); err == nil {
			e.Reply = outcome(txn, res, before)
			e.Write = c.node.write(txn, res, writer(ctx))
		}
		return err
	})
	return res, err
}

// writerKey is that of the grant in a context.
type writerKey struct{}

// AsWriter makes a context for writes under the grant of that identity. etcd does
// not get to know it; the record of the run does.
func AsWriter(ctx context.Context, grant string) context.Context {
	return context.WithValue(ctx, writerKey{}, grant)
}

func writer(ctx context.Context) string {
	grant, _ := ctx.Value(writerKey{}).(string)
	return grant
}
