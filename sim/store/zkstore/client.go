package zkstore

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/lockstep-sim/lockstep/impl/clock"
	"github.com/lockstep-sim/lockstep/impl/embedded/zk/state"
	"github.com/lockstep-sim/lockstep/impl/zklock/zkconn"
	"github.com/lockstep-sim/lockstep/sim/kernel"
	"github.com/lockstep-sim/lockstep/sim/network"
)

// Client is a client of ZooKeeper as a simulated process has it: what the client
// library does beside the code of the locks.
type Client struct {
	store    *Store
	proc     *kernel.Process
	clk      clock.Clock
	timeout  time.Duration // asked for
	session  zkconn.Session
	password []byte
	zxid     int64 // the last that it has seen

	server    int         // the one that it is or was connected to
	at        *attachment // nil while disconnected
	heard     kernel.Time // when the server was last heard of
	connected clock.Event // set while connected; another one after every loss
	failed    bool        // no server could be reached in the last round
	closed    bool

	pending   []*call
	watchers  map[watched][]*watcher
	listeners []*func(int64)
}

var _ zkconn.Conn = (*Client)(nil)

// call is a request that waits for its answer.
type call struct {
	done clock.Event
	resp state.Response
	lost bool
}

// Client opens a session for proc, with the timeout that it asks for. It is
// connected from the start.
func (s *Store) Client(proc *kernel.Process, timeout time.Duration) (*Client, error) {
	c := &Client{
		store: s, proc: proc, clk: proc.Clock(), timeout: timeout,
		server: len(s.clients) % len(s.nodes), watchers: map[watched][]*watcher{},
	}
	s.clients = append(s.clients, c)
	c.connected = c.clk.NewEvent()
	if err := c.attach(); err != nil {
		return nil, err
	}
	proc.Go("zookeeper", c.keepAlive)
	return c, nil
}

// attach connects to the current server, with the session of before if there is
// one.
func (c *Client) attach() error {
	n := c.store.nodes[c.server]
	a := &attachment{client: c, node: n, link: c.store.net.Dial(c.proc, n.Name())}
	r, err := c.store.machine.Connect(state.ConnectRequest{
		Timeout: c.timeout, Session: c.session.ID, Password: c.password,
	}, a)
	if err == nil && r.Session == 0 {
		c.sessionEnded()
		r, err = c.store.machine.Connect(state.ConnectRequest{Timeout: c.timeout}, a)
	}
	if err != nil {
		return fmt.Errorf("connecting %s to %s: %w", c.proc.Name(), n.Name(), err)
	}
	c.session, c.password = zkconn.Session{ID: r.Session, Timeout: r.Timeout}, r.Password
	c.store.owners[r.Session] = c.proc.Name()
	c.at, c.heard, c.failed = a, c.store.net.Kernel().Now(), false
	a.link.OnClose(func() { c.store.machine.Disconnect(r.Session, a) })
	a.link.OnBreak(func() { c.lose(a) })
	c.connected.Set()
	return nil
}

// sessionEnded tells everybody that the session is over.
func (c *Client) sessionEnded() {
	id := c.session.ID
	c.session, c.password = zkconn.Session{}, nil
	for _, f := range slices.Clone(c.listeners) {
		(*f)(id)
	}
	c.fireAll()
}

// lose is what a broken connection means to the client: no answer comes any more.
func (c *Client) lose(a *attachment) {
	if c.at != a {
		return
	}
	c.at, c.connected = nil, c.clk.NewEvent()
	c.failPending()
	if !c.closed {
		c.note("is disconnected from " + a.node.Name())
		c.proc.Go("zookeeper", c.reconnect)
	}
}

func (c *Client) failPending() {
	pending := c.pending
	c.pending = nil
	for _, p := range pending {
		p.lost = true
		p.done.Set()
	}
}

// Session implements zkconn.Conn.
func (c *Client) Session() zkconn.Session { return c.session }

// OnSessionEnd implements zkconn.Conn.
func (c *Client) OnSessionEnd(f func(id int64)) (stop func()) {
	c.listeners = append(c.listeners, &f)
	return func() {
		c.listeners = slices.DeleteFunc(c.listeners, func(g *func(int64)) bool { return g == &f })
	}
}

// Close ends the session in order: its ephemeral nodes go with it. It returns
// once the news is on its way.
func (c *Client) Close(ctx context.Context) error {
	if err := c.await(ctx); err != nil {
		return err
	}
	c.note("closes its session")
	a, id := c.at, c.session.ID
	c.closed = true
	c.sessionEnded()
	c.store.net.Kernel().After(c.store.net.Latency(), func() {
		if !a.link.Broken() && a.node.serving() {
			a.close(id)
		}
	})
	return nil
}

// do makes a request. Without a connection it waits for one, and fails once no
// server can be reached.
func (c *Client) do(ctx context.Context, command, text string, req state.Request) (state.Response, error) {
	if err := c.await(ctx); err != nil {
		return state.Response{}, err
	}
	p := &call{done: c.clk.NewEvent()}
	c.pending = append(c.pending, p)
	a, r := c.at, &network.Request{Command: command, Text: text}
	a.link.Send(r, func() {
		a.execute(r, req, func(resp state.Response) {
			c.heard, c.zxid = c.store.net.Kernel().Now(), max(c.zxid, resp.Zxid)
			p.resp = resp
			p.done.Set()
		})
	})
	err := p.done.Wait(ctx, clock.NoLimit)
	c.pending = slices.DeleteFunc(c.pending, func(o *call) bool { return o == p })
	switch {
	case err != nil:
		return state.Response{}, err
	case p.lost:
		return state.Response{}, zkconn.ErrDisconnected
	}
	return p.resp, failure(p.resp)
}

// await waits for a connection.
func (c *Client) await(ctx context.Context) error {
	for c.at == nil {
		if c.closed {
			return zkconn.ErrClosed
		}
		if c.failed {
			return zkconn.ErrDisconnected
		}
		if err := c.connected.Wait(ctx, c.timeout/10); err != nil && ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return ctx.Err()
}

// answers are the codes that the locks tell apart.
var answers = map[state.Code]error{
	state.NoNode: zkconn.ErrNoNode, state.NodeExists: zkconn.ErrNodeExists,
	state.NotEmpty: zkconn.ErrNotEmpty, state.SessionExpired: zkconn.ErrSessionExpired,
	state.SessionMoved: zkconn.ErrDisconnected,
}

// failure is the error of an answer: that of the first request of a multi that
// failed.
func failure(r state.Response) error {
	for _, part := range r.Results {
		if part.Op == state.OpError && part.Code != state.OK && part.Code != state.RuntimeInconsistency {
			return failure(state.Response{Code: part.Code})
		}
	}
	if r.Code == state.OK {
		return nil
	}
	if err := answers[r.Code]; err != nil {
		return err
	}
	return fmt.Errorf("%w: %w", zkconn.ErrRefused, r.Code)
}
