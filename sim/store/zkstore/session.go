package zkstore

import (
	"context"
	"time"

	"github.com/lockstep-sim/lockstep/impl/embedded/zk/state"
	"github.com/lockstep-sim/lockstep/sim/kernel"
	"github.com/lockstep-sim/lockstep/sim/trace"
)

// retryPause is the client library's pause after it has tried every server.
const retryPause = time.Second

// keepAlive pings the server every third of the session timeout, and gives up a
// connection on which nothing has come back for two thirds, as the client library
// does.
func (c *Client) keepAlive() {
	for !c.closed {
		every := c.session.Timeout / 3
		if every == 0 {
			every = c.timeout / 3
		}
		if c.clk.Sleep(context.Background(), every) != nil {
			return
		}
		if c.at == nil {
			continue
		}
		if c.store.net.Kernel().Now()-c.heard >= kernel.Time(2*every) {
			c.at.link.Break()
			continue
		}
		c.ping(c.at)
	}
}

// ping travels there and back without a trace.
func (c *Client) ping(a *attachment) {
	k, latency := c.store.net.Kernel(), c.store.net.Latency()
	if c.store.net.Cut(c.proc.Name(), a.node.Name()) {
		return
	}
	k.After(latency, func() {
		switch {
		case a.link.Broken():
			return
		case !a.node.serving():
			a.link.Break()
			return
		}
		c.store.machine.Do(c.session.ID, a, state.Request{Op: state.OpPing}, func(state.Response) {})
		if c.store.net.Cut(a.node.Name(), c.proc.Name()) {
			return
		}
		c.proc.After(latency, func() { c.heard = k.Now() })
	})
}

// reconnect looks for a server until one takes the session, or says that it is
// over.
func (c *Client) reconnect() {
	for tried := 0; c.at == nil && !c.closed; tried++ {
		if tried > 0 {
			c.server = (c.server + 1) % len(c.store.nodes)
		}
		if tried >= len(c.store.nodes) {
			// Nobody could be reached: what waits for a connection is told so.
			c.failed = true
			if c.clk.Sleep(context.Background(), retryPause) != nil {
				return
			}
		}
		if c.clk.Sleep(context.Background(), 2*c.store.net.Latency()) != nil {
			return
		}
		c.tryServer()
	}
}

// tryServer goes on at the current server, if it can be reached and serves.
func (c *Client) tryServer() {
	n := c.store.nodes[c.server]
	net := c.store.net
	if !n.serving() || net.Cut(c.proc.Name(), n.Name()) || net.Cut(n.Name(), c.proc.Name()) {
		return
	}
	before := c.session.ID
	if c.attach() != nil {
		return // a client that has seen more than the server looks for another
	}
	if c.session.ID == before {
		c.note("is connected to " + n.Name() + ", its session goes on")
		c.rewatch()
		return
	}
	c.note("is connected to " + n.Name() + ": its session has expired, it has a new one")
}

func (c *Client) note(text string) {
	e := trace.Event{Actor: c.proc.Name(), Kind: trace.KindNote, Text: text}
	c.store.changes(&e) // what a server that was cut off has caught up with
	c.store.rec.Add(e)
}
