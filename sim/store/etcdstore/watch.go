package etcdstore

import (
	"context"
	"fmt"
	"slices"

	"github.com/lockstep-sim/lockstep/impl/clock"
	"github.com/lockstep-sim/lockstep/impl/etcdlock"
	"github.com/lockstep-sim/lockstep/sim/network"
	"github.com/lockstep-sim/lockstep/sim/store/etcdstore/model"
	"github.com/lockstep-sim/lockstep/sim/trace"
)

// watch is an open watch of a client.
type watch struct {
	c    *Client
	link *network.Link
	key  string
	at   *model.Watch
	seen clock.Event
	lost bool
	shut bool
}

var _ etcdlock.Watch = (*watch)(nil)

// Watch implements etcdlock.Store.
func (c *Client) Watch(ctx context.Context, key string) (etcdlock.Watch, error) {
	return c.WatchFrom(ctx, key, 0)
}

// WatchFrom is Watch for what has happened from a revision on; see
// [model.ResyncEvery] for when it is told. 0 means from now on.
func (c *Client) WatchFrom(ctx context.Context, key string, revision int64) (etcdlock.Watch, error) {
	text := "WATCH " + key
	if revision > 0 {
		text += fmt.Sprintf(" from %d", revision)
	}
	w := &watch{c: c, link: c.connection(), key: key, seen: c.proc.Clock().NewEvent()}
	err := c.send(ctx, &network.Request{Command: "WATCH", Text: text}, func(e *trace.Event) error {
		e.Reply = "watching"
		if !w.shut { // or the client has given up waiting for the answer
			c.node.watch(w, revision)
			e.Watches = append(e.Watches, w.change(false))
		}
		return nil
	})
	if err != nil {
		w.Close()
		return nil, err
	}
	c.open = append(c.open, w)
	return w, nil
}

// WaitDeleted implements etcdlock.Watch.
func (w *watch) WaitDeleted(ctx context.Context) error {
	if err := w.seen.Wait(ctx, clock.NoLimit); err != nil {
		return err
	}
	if w.lost {
		return etcdlock.ErrWatchLost
	}
	return nil
}

// Close implements etcdlock.Watch.
func (w *watch) Close() {
	if w.shut {
		return
	}
	w.shut = true
	w.c.open = slices.DeleteFunc(w.c.open, func(o *watch) bool { return o == w })
	w.c.node.unwatch(w)
}

// lose ends a watch whose connection has broken.
func (w *watch) lose() {
	w.lost = true
	w.seen.Set()
}

func (w *watch) change(gone bool) trace.WatchChange {
	return trace.WatchChange{Store: w.c.node.Name(), Actor: w.c.proc.Name(), Key: w.key, Gone: gone}
}

// watch opens w at the node.
func (n *Node) watch(w *watch, revision int64) {
	w.at = n.machine.Watch(w.key, revision)
	n.watches = append(n.watches, w)
}

// unwatch ends w at the node, if it has been opened there.
func (n *Node) unwatch(w *watch) {
	if i := slices.Index(n.watches, w); i >= 0 {
		n.watches = slices.Delete(n.watches, i, i+1)
		n.machine.Cancel(w.at)
		n.closed = append(n.closed, w)
		n.schedule()
	}
}

// hangUp ends the watches of a connection that is gone.
func (n *Node) hangUp(link *network.Link) {
	for _, w := range slices.Clone(n.watches) {
		if w.link == link {
			n.unwatch(w)
		}
	}
}

// push sends the events that the last change has brought about.
func (n *Node) push() {
	for _, notice := range n.machine.Notices() {
		i := slices.IndexFunc(n.watches, func(w *watch) bool { return w.at == notice.Watch })
		w := n.watches[i]
		text := fmt.Sprintf("event: %s deleted at %d", notice.Key, notice.Revision)
		w.link.Push("EVENT", text, w.seen.Set)
	}
}
