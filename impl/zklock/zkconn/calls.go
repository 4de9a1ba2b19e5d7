package zkconn

import (
	"context"
	"path"

	"github.com/go-zookeeper/zk"
)

// Create implements [Conn].
func (c *Client) Create(ctx context.Context, p string, mode Mode) (Node, error) {
	n, err := call(ctx, c, func() (Node, error) {
		switch mode {
		case EphemeralSequential:
			return c.createEphemeral(p, zk.FlagEphemeralSequential)
		case Ephemeral:
			return c.createEphemeral(p, zk.FlagEphemeral)
		}
		made, err := c.zk.Create(p, nil, zk.FlagPersistent, c.acl)
		return Node{Path: made}, err
	})
	return n, c.translate("create", p, err)
}

// createEphemeral makes the node and writes the empty data of its parent in one
// transaction. The answer to a create does not say what the transaction was; the
// answer to a write does, in the stat of the node that was written. So the
// number of the transaction comes without a request of its own.
func (c *Client) createEphemeral(p string, flags int32) (Node, error) {
	results, err := c.zk.Multi(
		&zk.CreateRequest{Path: p, Acl: c.acl, Flags: flags},
		&zk.SetDataRequest{Path: path.Dir(p), Version: -1},
	)
	if err != nil {
		return Node{}, err
	}
	return Node{Path: results[0].String, Czxid: results[1].Stat.Mzxid}, nil
}

// Delete implements [Conn].
func (c *Client) Delete(ctx context.Context, p string) error {
	_, err := call(ctx, c, func() (none, error) { return none{}, c.zk.Delete(p, -1) })
	return c.translate("delete", p, err)
}

// Get implements [Conn].
func (c *Client) Get(ctx context.Context, p string) (Node, error) {
	n, err := call(ctx, c, func() (Node, error) {
		data, stat, err := c.zk.Get(p)
		return node(p, data, stat), err
	})
	return n, c.translate("get", p, err)
}

// Set implements [Conn].
func (c *Client) Set(ctx context.Context, p string, data []byte) error {
	_, err := call(ctx, c, func() (none, error) {
		_, err := c.zk.Set(p, data, -1)
		return none{}, err
	})
	return c.translate("set", p, err)
}

// Children implements [Conn].
func (c *Client) Children(ctx context.Context, p string) ([]string, error) {
	names, err := call(ctx, c, func() ([]string, error) {
		names, _, err := c.zk.Children(p)
		return names, err
	})
	return names, c.translate("list", p, err)
}

// Sync implements [Conn].
func (c *Client) Sync(ctx context.Context, p string) error {
	_, err := call(ctx, c, func() (none, error) {
		_, err := c.zk.Sync(p)
		return none{}, err
	})
	return c.translate("sync", p, err)
}

// Watch implements [Conn].
func (c *Client) Watch(ctx context.Context, p string, notify func()) (Node, func(), error) {
	n, leave, err := watch(ctx, c, watchKey{dataWatch, p}, notify,
		func() (Node, error) {
			data, stat, err := c.zk.Get(p)
			return node(p, data, stat), err
		},
		func() (Node, error) {
			data, stat, _, err := c.zk.GetW(p)
			return node(p, data, stat), err
		})
	return n, leave, c.translate("watch", p, err)
}

// WatchChildren implements [Conn].
func (c *Client) WatchChildren(ctx context.Context, p string, notify func()) ([]string, func(), error) {
	names, leave, err := watch(ctx, c, watchKey{childWatch, p}, notify,
		func() ([]string, error) {
			names, _, err := c.zk.Children(p)
			return names, err
		},
		func() ([]string, error) {
			names, _, _, err := c.zk.ChildrenW(p)
			return names, err
		})
	return names, leave, c.translate("watch the children of", p, err)
}

// watch reads, and sets a watch only where the server has none yet. Events and
// answers come in the order in which the server sent them: an event that is due
// after this read is not seen before it.
func watch[T any](
	ctx context.Context, c *Client, k watchKey, notify func(),
	look, lookAndWatch func() (T, error),
) (T, func(), error) {
	entry, set, leave := c.watches.join(k, notify)
	v, err := call(ctx, c, func() (T, error) {
		if set {
			return look()
		}
		v, err := lookAndWatch()
		if err == nil {
			c.watches.confirm(k, entry)
		}
		return v, err
	})
	if err != nil {
		leave()
		return v, func() {}, err
	}
	return v, leave, nil
}

func node(p string, data []byte, stat *zk.Stat) Node {
	if stat == nil {
		return Node{}
	}
	return Node{Path: p, Data: data, Czxid: stat.Czxid, Owner: stat.EphemeralOwner}
}

// none is the result of a request that has none.
type none = struct{}

// call makes a request that ends early when ctx does. The client knows no
// contexts, so the request is left to itself then; its goroutine ends with the
// answer, with the connection, or with Close at the latest.
func call[T any](ctx context.Context, c *Client, request func() (T, error)) (T, error) {
	var zero T
	if err := ctx.Err(); err != nil {
		return zero, err
	}
	if ctx.Done() == nil {
		return request()
	}
	if !c.begin() {
		return zero, ErrClosed
	}
	type answer struct {
		v   T
		err error
	}
	done := make(chan answer, 1)
	c.clk.Go(func() {
		defer c.end()
		v, err := request()
		done <- answer{v, err} //lockstep:bare-wait the channel has room
	})
	select { //lockstep:bare-wait a backend call with a context, as its callers see it
	case a := <-done:
		return a.v, a.err
	case <-ctx.Done():
		return zero, ctx.Err()
	}
}
