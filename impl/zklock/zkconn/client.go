package zkconn

import (
	"context"
	"sync"

	"github.com/go-zookeeper/zk"

	"github.com/lockstep-sim/lockstep/impl/clock"
)

// Client is a [Conn] on github.com/go-zookeeper/zk.
type Client struct {
	zk       *zk.Conn
	acl      []zk.ACL
	sessions *sessions
	watches  *watches
	over     <-chan zk.Event // closed when the client has ended

	clk clock.Clock

	mu     sync.Mutex
	closed bool
	calls  int         // under way in goroutines of their own
	idle   clock.Event // closed, and no call under way
}

var _ Conn = (*Client)(nil)

// Session implements [Conn].
func (c *Client) Session() Session { return c.sessions.get() }

// OnSessionEnd implements [Conn].
func (c *Client) OnSessionEnd(f func(id int64)) (stop func()) { return c.sessions.listen(f) }

// Close ends the session, so that its ephemeral nodes go at once, and waits
// until nothing of the client is left running. Without a connection it gives up
// after a second, and the session ends with its timeout. Closing again does
// nothing.
func (c *Client) Close() {
	if !c.shut() {
		return
	}
	c.zk.Close()
	c.sessions.opened(Session{})                         // for those who listen for its end
	_ = c.idle.Wait(context.Background(), clock.NoLimit) // the calls have ended with the client
	for running := true; running; {
		_, running = <-c.over //lockstep:bare-wait the client closes it at its end, which has come
	}
}

// shut lets no new call begin. It reports false when that was so already.
func (c *Client) shut() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return false
	}
	c.closed = true
	if c.calls == 0 {
		c.idle.Set()
	}
	return true
}

func (c *Client) isClosed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.closed
}

// begin and end count the calls for shut.
func (c *Client) begin() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return false
	}
	c.calls++
	return true
}

func (c *Client) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls--
	if c.closed && c.calls == 0 {
		c.idle.Set()
	}
}
