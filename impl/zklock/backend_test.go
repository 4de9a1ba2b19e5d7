package zklock_test

import (
	"context"
	"encoding/binary"
	"errors"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lockstep-sim/lockstep/impl/embedded/zk"
	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/zklock"
	"github.com/lockstep-sim/lockstep/impl/zklock/zkconn"
	"github.com/lockstep-sim/lockstep/internal/realserver"
)

// backend is a server on a port, in real time. The tests in this file and the
// next run on the embedded and on the real one.
type backend struct {
	addr    string
	restart func(t *testing.T)
}

// brief is the session timeout there.
const brief = time.Second

// limit bounds every wait for what has to happen.
const limit = 30 * time.Second

func onEveryServer(t *testing.T, f func(t *testing.T, b backend)) {
	t.Run("embedded", func(t *testing.T) {
		srv := must(zk.Listen(zk.Options{Tick: realserver.ZooKeeperTick, MaxTimeout: time.Minute}))
		t.Cleanup(func() { _ = srv.Close() })
		f(t, backend{srv.Addr(), func(t *testing.T) {
			if err := srv.Restart(); err != nil {
				t.Fatal(err)
			}
		}})
	})
	t.Run("real", func(t *testing.T) {
		srv := realserver.ZooKeeper(t)
		f(t, backend{srv.Addr(), func(t *testing.T) { srv.Restart(t) }})
	})
}

// client connects to the server through a network that can be broken.
func (b backend) client(t *testing.T) (*zkconn.Client, *network) {
	t.Helper()
	n := &network{}
	c, err := zkconn.Dial(t.Context(), zkconn.Config{
		Servers: []string{b.addr}, SessionTimeout: brief, DialTimeout: limit, Dialer: n.dial,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c, n
}

func (b backend) mutex(t *testing.T) (*zklock.Mutex, *network) {
	t.Helper()
	c, n := b.client(t)
	m := must(zklock.New(c, zklock.Config{}))
	t.Cleanup(func() { _ = m.Close() })
	return m, n
}

func (b backend) acquire(t *testing.T, l lock.Locker, key string) lock.Lease {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	lease, err := l.Acquire(ctx, key)
	if err != nil {
		t.Fatal(err)
	}
	return lease
}

// waitQueue waits until a key has n nodes.
func (b backend) waitQueue(t *testing.T, c *zkconn.Client, key string, n int) {
	t.Helper()
	waitUntil(t, func() bool {
		names, err := c.Children(t.Context(), "/lockstep/"+key)
		return err == nil && len(names) == n || n == 0 && errors.Is(err, zkconn.ErrNoNode)
	})
}

func waitUntil(t *testing.T, ok func() bool) {
	t.Helper()
	give := time.After(limit)
	for !ok() {
		select {
		case <-time.After(5 * time.Millisecond):
		case <-give:
			t.Fatal("what was waited for did not happen")
		}
	}
}

func waitDone(t *testing.T, l lock.Lease) {
	t.Helper()
	select {
	case <-l.Done():
	case <-time.After(limit):
		t.Fatal("the lease did not end")
	}
}

// network is the connection of one client.
type network struct {
	mu    sync.Mutex
	down  bool
	lose  int32 // the kind of the request whose answer is lost, 0 for none
	conns []*brokenConn
}

var errDown = errors.New("network is down")

func (n *network) dial(network, addr string, timeout time.Duration) (net.Conn, error) {
	n.mu.Lock()
	down := n.down
	n.mu.Unlock()
	if down {
		return nil, errDown
	}
	c, err := net.DialTimeout(network, addr, timeout)
	if err != nil {
		return nil, err
	}
	bc := &brokenConn{Conn: c, net: n}
	n.mu.Lock()
	n.conns = append(n.conns, bc)
	n.mu.Unlock()
	return bc, nil
}

// partition drops every packet; heal ends that.
func (n *network) partition() { n.setDown(true) }
func (n *network) heal()      { n.setDown(false) }

func (n *network) setDown(down bool) {
	n.mu.Lock()
	n.down = down
	conns := n.conns
	n.conns = nil
	n.mu.Unlock()
	if !down {
		return
	}
	for _, c := range conns {
		_ = c.Close() // nothing passes any more; the client notices sooner than it would
	}
}

// loseAnswer lets the next request of a kind pass and loses the answer.
func (n *network) loseAnswer(kind int32) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.lose = kind
}

func (n *network) loses(kind int32) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.lose == 0 || n.lose != kind {
		return false
	}
	n.lose = 0
	return true
}

type brokenConn struct {
	net.Conn
	net *network

	mu   sync.Mutex
	lost bool
}

// Write implements net.Conn.
func (c *brokenConn) Write(p []byte) (int, error) {
	if len(p) >= 12 && c.net.loses(int32(binary.BigEndian.Uint32(p[8:]))) {
		c.mu.Lock()
		c.lost = true
		c.mu.Unlock()
	}
	return c.Conn.Write(p)
}

// Read implements net.Conn. It waits for the lost answer, which shows that the
// server has carried the request out, and ends the connection.
func (c *brokenConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lost {
		_ = c.Close()
		return 0, errDown
	}
	return n, err
}

// order collects names in the order of their coming.
type order struct {
	mu    sync.Mutex
	names []string
}

func (o *order) add(name string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.names = append(o.names, name)
}

func (o *order) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return strings.Join(slices.Clone(o.names), " ")
}
