package redisstore

import (
	"context"
	"net"
	"syscall"

	"github.com/redis/go-redis/v9"

	"github.com/lockstep-sim/lockstep/sim/kernel"
)

// Client makes a go-redis client that finds the primary as a failover client
// does: before every new connection it asks the first sentinel that it can
// reach, here in no time. Without sentinels it goes to the first node.
func (g *Group) Client(proc *kernel.Process) *redis.Client {
	return newClient("primary", func() net.Conn { return g.dial(proc) })
}

func (g *Group) dial(proc *kernel.Process) *conn {
	if len(g.sentinels) == 0 {
		return g.members[0].dial(proc)
	}
	for _, s := range g.sentinels {
		if s.passes(proc.Name()) {
			return s.knows.dial(proc)
		}
	}
	c := g.members[0].dial(proc)
	c.refused = true // nobody tells where the primary is
	return c
}

// refuse is the end of a connection at which nobody listens: the machine says so
// after a round trip. A machine that is gone says nothing, and the request is
// sent in vain.
func (c *conn) refuse() error {
	if err := c.link.Client().Clock().Sleep(context.Background(), 2*c.node.net.Latency()); err != nil {
		return err
	}
	c.end()
	return &net.OpError{Op: "dial", Net: "simulated", Addr: c.RemoteAddr(), Err: syscall.ECONNREFUSED}
}

// SyscallConn is how go-redis finds out, before it uses an idle connection, that
// the other end has closed it.
func (c *conn) SyscallConn() (syscall.RawConn, error) {
	if c.closed {
		return nil, net.ErrClosed
	}
	return quiet{}, nil
}

// quiet is a socket that has nothing to read.
type quiet struct{}

func (quiet) Control(func(uintptr)) error    { return nil }
func (quiet) Read(func(uintptr) bool) error  { return nil }
func (quiet) Write(func(uintptr) bool) error { return nil }
