package zkstore

import (
	"context"
	"path"

	"github.com/lockstep-sim/lockstep/impl/embedded/zk/state"
	"github.com/lockstep-sim/lockstep/impl/zklock/zkconn"
)

// ephemeral is how the kinds of nodes that end with their session are called, and
// what the machine calls them.
var ephemeral = map[zkconn.Mode]struct {
	text  string
	flags int32
}{
	zkconn.Ephemeral:           {" ephemeral", state.Ephemeral},
	zkconn.EphemeralSequential: {" ephemeral sequential", state.EphemeralSequential},
}

// Create implements zkconn.Conn. An ephemeral node is made together with a write
// of its parent, as the client of impl/zklock does, because the answer to the
// write tells the transaction.
func (c *Client) Create(ctx context.Context, p string, mode zkconn.Mode) (zkconn.Node, error) {
	text := "CREATE " + c.name(p)
	if mode == zkconn.Persistent {
		r, err := c.do(ctx, "CREATE", text, state.Request{Op: state.OpCreate, Path: p, ACL: state.WorldACL()})
		return zkconn.Node{Path: r.Path}, err
	}
	r, err := c.do(ctx, "CREATE", text+ephemeral[mode].text, state.Request{Op: state.OpMulti, Multi: []state.Request{
		{Op: state.OpCreate, Path: p, ACL: state.WorldACL(), Flags: ephemeral[mode].flags},
		{Op: state.OpSetData, Path: path.Dir(p), Version: state.AnyVersion},
	}})
	if err != nil {
		return zkconn.Node{}, err
	}
	return zkconn.Node{Path: r.Results[0].Path, Czxid: r.Results[1].Stat.Mzxid}, nil
}

// Delete implements zkconn.Conn.
func (c *Client) Delete(ctx context.Context, p string) error {
	_, err := c.do(ctx, "DELETE", "DELETE "+c.name(p), state.Request{Op: state.OpDelete, Path: p, Version: state.AnyVersion})
	return err
}

// Get implements zkconn.Conn.
func (c *Client) Get(ctx context.Context, p string) (zkconn.Node, error) {
	r, err := c.do(ctx, "GET", "GET "+c.name(p), state.Request{Op: state.OpGetData, Path: p})
	return node(p, r), err
}

// Set implements zkconn.Conn.
func (c *Client) Set(ctx context.Context, p string, data []byte) error {
	_, err := c.do(ctx, "SET", "SET "+c.name(p), state.Request{Op: state.OpSetData, Path: p, Data: data, Version: state.AnyVersion})
	return err
}

// Children implements zkconn.Conn.
func (c *Client) Children(ctx context.Context, p string) ([]string, error) {
	r, err := c.do(ctx, "LIST", "LIST "+c.name(p), state.Request{Op: state.OpGetChildren2, Path: p})
	return r.Children, err
}

// Sync implements zkconn.Conn.
func (c *Client) Sync(ctx context.Context, p string) error {
	_, err := c.do(ctx, "SYNC", "SYNC "+c.name(p), state.Request{Op: state.OpSync, Path: p})
	return err
}

func node(p string, r state.Response) zkconn.Node {
	return zkconn.Node{Path: p, Czxid: r.Stat.Czxid, Owner: r.Stat.EphemeralOwner, Data: r.Data}
}

// name is a path as it is shown.
func (c *Client) name(p string) string {
	_, key := c.store.shown(p)
	return key
}
