package zkstore

import (
	"context"
	"slices"

	"github.com/lockstep-sim/lockstep/impl/embedded/zk/state"
	"github.com/lockstep-sim/lockstep/impl/zklock/zkconn"
)

// watched is what a watch is about: a node, or the names below it.
type watched struct {
	path     string
	children bool
}

// watcher is one wait for a change.
type watcher struct{ notify func() }

// Watch implements zkconn.Conn.
func (c *Client) Watch(ctx context.Context, p string, notify func()) (zkconn.Node, func(), error) {
	leave := c.join(watched{path: p}, notify)
	r, err := c.do(ctx, "GET", "GET "+c.name(p)+" watch", state.Request{Op: state.OpGetData, Path: p, Watch: true})
	if err != nil {
		leave()
		return zkconn.Node{}, func() {}, err
	}
	return node(p, r), leave, nil
}

// WatchChildren implements zkconn.Conn.
func (c *Client) WatchChildren(ctx context.Context, p string, notify func()) ([]string, func(), error) {
	leave := c.join(watched{path: p, children: true}, notify)
	r, err := c.do(ctx, "LIST", "LIST "+c.name(p)+" watch", state.Request{Op: state.OpGetChildren2, Path: p, Watch: true})
	if err != nil {
		leave()
		return nil, func() {}, err
	}
	return r.Children, leave, nil
}

// join waits for the next change from before the request is made, so that none
// after it is missed.
func (c *Client) join(k watched, notify func()) (leave func()) {
	w := &watcher{notify}
	c.watchers[k] = append(c.watchers[k], w)
	return func() {
		c.watchers[k] = slices.DeleteFunc(c.watchers[k], func(o *watcher) bool { return o == w })
	}
}

// fire tells those who wait for what has happened.
func (c *Client) fire(e state.Event) {
	if e.Type != state.NodeChildrenChanged {
		c.notify(watched{path: e.Path})
	}
	if e.Type != state.NodeDataChanged {
		c.notify(watched{path: e.Path, children: true})
	}
}

func (c *Client) notify(k watched) {
	waiting := c.watchers[k]
	delete(c.watchers, k)
	for _, w := range waiting {
		w.notify()
	}
}

// fireAll tells everybody who waits, because their watches are lost with the
// session.
func (c *Client) fireAll() {
	for _, k := range c.open() {
		c.notify(k)
	}
}

// open lists what is waited for, in the order of the paths.
func (c *Client) open() []watched {
	var out []watched
	for k, waiting := range c.watchers {
		if len(waiting) > 0 {
			out = append(out, k)
		}
	}
	slices.SortFunc(out, func(a, b watched) int {
		switch {
		case a.path < b.path || a.path == b.path && !a.children && b.children:
			return -1
		case a == b:
			return 0
		}
		return 1
	})
	return out
}

// rewatch sets the watches anew after a reconnection. What happened meanwhile is
// told at once.
func (c *Client) rewatch() {
	w := &state.OldWatches{Since: c.zxid}
	for _, k := range c.open() {
		if k.children {
			w.Child = append(w.Child, k.path)
		} else {
			w.Data = append(w.Data, k.path)
		}
	}
	c.store.machine.Do(c.session.ID, c.at, state.Request{Op: state.OpSetWatches, Watches: w}, func(state.Response) {})
	c.store.flush()
}
