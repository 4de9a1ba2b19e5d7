package sqlstore

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"slices"

	"github.com/lockstep-sim/lockstep/impl/clock"
	"github.com/lockstep-sim/lockstep/sim/kernel"
)

// Pool bounds how many connections a group of clients has together, like the
// pool of a service whose requests they are. Who wants one more waits in line.
//
// The limit of database/sql itself would let tasks wait outside the kernel.
type Pool struct {
	free  int
	queue []clock.Event
}

// NewPool makes a pool of n connections, n > 0.
func NewPool(n int) *Pool { return &Pool{free: n} }

// Pooled is like DB, for a client that takes its connections out of a pool and
// gives each one back when it is done with it.
func (n *Node) Pooled(proc *kernel.Process, p *Pool) *sql.DB {
	db := sql.OpenDB(pooled{connector{n, proc}, p})
	db.SetMaxIdleConns(-1) // what is not in use is back in the pool
	return db
}

// pooled is a connector that waits for its turn.
type pooled struct {
	connector
	pool *Pool
}

// Connect implements driver.Connector.
func (c pooled) Connect(ctx context.Context) (driver.Conn, error) {
	if err := c.take(ctx); err != nil {
		return nil, err
	}
	cn, err := c.connector.Connect(ctx)
	if err != nil {
		c.pool.give()
		return nil, err
	}
	return &pooledConn{cn.(*conn), c.pool}, nil
}

// pooledConn gives its place back when it is closed, which database/sql does
// once.
type pooledConn struct {
	*conn
	pool *Pool
}

// Close implements driver.Conn.
func (c *pooledConn) Close() error {
	c.pool.give()
	return c.conn.Close()
}

func (c pooled) take(ctx context.Context) error {
	if c.pool.free > 0 {
		c.pool.free--
		return nil
	}
	turn := c.proc.Clock().NewEvent()
	c.pool.queue = append(c.pool.queue, turn)
	err := turn.Wait(ctx, clock.NoLimit)
	if err != nil {
		c.pool.queue = slices.DeleteFunc(c.pool.queue, func(e clock.Event) bool { return e == turn })
	}
	return err
}

// give passes a connection on to whoever has waited longest.
func (p *Pool) give() {
	if len(p.queue) == 0 {
		p.free++
		return
	}
	p.queue[0].Set()
	p.queue = p.queue[1:]
}
