package redisstore

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/alicebob/miniredis/v2/proto"
	"github.com/alicebob/miniredis/v2/server"
	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"github.com/lockstep-sim/lockstep/impl/clock"
	"github.com/lockstep-sim/lockstep/sim/kernel"
	"github.com/lockstep-sim/lockstep/sim/network"
)

// bufferSize keeps a client small: the default of go-redis, 32 KiB in each
// direction, is most of the memory of a short run.
const bufferSize = 1 << 10

// Client makes an unmodified go-redis client for proc, connected to the node.
// Timeouts come from contexts alone, which are in virtual time; retries are off,
// as they must be for locks.
func (n *Node) Client(proc *kernel.Process) *redis.Client {
	return newClient(n.Name(), func() net.Conn { return n.dial(proc) })
}

func newClient(address string, dial func() net.Conn) *redis.Client {
	return redis.NewClient(&redis.Options{
		Addr: address,
		Dialer: func(context.Context, string, string) (net.Conn, error) {
			return dial(), nil
		},
		Protocol:                 2,
		DisableIdentity:          true,
		ContextTimeoutEnabled:    true,
		ReadTimeout:              -1,
		WriteTimeout:             -1,
		MaxRetries:               -1,
		PoolSize:                 64,
		ReadBufferSize:           bufferSize,
		WriteBufferSize:          bufferSize,
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
	})
}

// conn is the client's end of a connection, and the server's peer of it.
type conn struct {
	node  *Node
	link  *network.Link
	peer  *server.Peer
	reply bytes.Buffer // what the peer has written

	out      bytes.Buffer // sent by the client, not yet a whole command
	in       bytes.Buffer // arrived for the client, not yet read
	arrived  clock.Signal
	deadline time.Time
	closed   bool
	refused  bool // nobody listens at the other end
	written  int  // the last write of a primary that the client has seen
}

var (
	_ net.Conn     = (*conn)(nil)
	_ syscall.Conn = (*conn)(nil)
)

func (n *Node) dial(proc *kernel.Process) *conn {
	c := &conn{node: n, link: n.net.Dial(proc, n.Name()), arrived: proc.Clock().NewSignal()}
	c.peer = newPeer(&c.reply)
	c.refused = n.down && !n.lost
	c.link.OnBreak(func() { c.end() })
	n.conns = append(n.conns, c)
	return c
}

// Write takes what the client sends and passes on every whole command.
func (c *conn) Write(p []byte) (int, error) {
	if c.closed || c.node.net.Kernel().Closing() {
		return 0, net.ErrClosed
	}
	c.out.Write(p)
	for {
		args, ok := c.command()
		if !ok {
			return len(p), nil
		}
		if err := c.send(args); err != nil {
			return 0, err
		}
	}
}

// command takes the next whole command out of what the client has sent.
func (c *conn) command() ([]string, bool) {
	r := bytes.NewReader(c.out.Bytes())
	buffered := bufio.NewReader(r)
	raw, err := proto.Read(buffered)
	if err != nil {
		return nil, false
	}
	args, err := proto.ReadStrings(raw)
	if err != nil || len(args) == 0 {
		return nil, false
	}
	c.out.Next(len(raw))
	return args, true
}

// send lets the command travel, except those that set a connection up: they are
// no part of any lock and take no time.
func (c *conn) send(args []string) error {
	if setup(args[0]) || !c.node.net.Kernel().InTask() {
		c.in.Write(c.node.dispatch(c, args))
		return nil
	}
	if c.refused {
		return c.refuse()
	}
	req := &network.Request{Command: c.node.command(args), Text: c.node.describeCommand(args)}
	c.link.Send(req, func() { c.node.execute(c, args, req) })
	return nil
}

func setup(command string) bool {
	return slices.Contains([]string{"HELLO", "AUTH", "SELECT", "CLIENT"}, strings.ToUpper(command))
}

// deliver hands bytes to the client.
func (c *conn) deliver(b []byte) {
	c.in.Write(b)
	c.arrived.Notify()
}

// Read waits, in virtual time, until something has arrived.
func (c *conn) Read(p []byte) (int, error) {
	for c.in.Len() == 0 {
		if c.closed || c.node.net.Kernel().Closing() {
			return 0, io.EOF
		}
		limit := clock.NoLimit
		if !c.deadline.IsZero() {
			limit = max(0, c.deadline.Sub(c.link.Client().Now()))
		}
		if c.arrived.Wait(context.Background(), limit) == clock.ErrTimeout {
			return 0, os.ErrDeadlineExceeded
		}
	}
	return c.in.Read(p)
}

// Close ends the connection and its subscriptions at once.
func (c *conn) Close() error {
	c.end()
	return nil
}

func (c *conn) end() {
	if c.closed {
		return
	}
	c.closed = true
	c.node.unsubscribeAll(c)
	c.node.conns = slices.DeleteFunc(c.node.conns, func(o *conn) bool { return o == c })
	c.arrived.Notify()
}

func (c *conn) SetReadDeadline(t time.Time) error { c.deadline = t; return nil }

// SetWriteDeadline does nothing: sending never waits.
func (c *conn) SetWriteDeadline(time.Time) error { return nil }

func (c *conn) SetDeadline(t time.Time) error { return c.SetReadDeadline(t) }

func (c *conn) LocalAddr() net.Addr { return addr(c.link.Client().Name()) }

func (c *conn) RemoteAddr() net.Addr { return addr(c.node.Name()) }

// addr is the name of an actor as a network address.
type addr string

func (addr) Network() string  { return "simulated" }
func (a addr) String() string { return string(a) }
