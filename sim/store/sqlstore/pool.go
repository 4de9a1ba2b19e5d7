package sqlstore

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"slices"

	"github.com/lockstep-sim/lockstep/impl/clock"
	"github.com/lockstep-sim/lockstep/sim/kernel"
	"github.com/lockstep-sim/lockstep/sim/trace"
)

// Pool bounds how many connections a group of clients has together, like the
// pool of a service whose requests they are. Who wants one more waits in line.
//
// The limit of database/sql itself would let tasks wait outside the kernel.
type Pool struct {
	size  int
	users []string // the clients that have a connection, in the order of getting it
	queue []inLine
}

// inLine is a client that waits for a connection.
type inLine struct {
	client string
	turn   clock.Event
}

// NewPool makes a pool of n connections, n > 0.
func NewPool(n int) *Pool { return &Pool{size: n} }

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
		c.pool.give(c.proc.Name())
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
	c.pool.give(c.link.Client().Name())
	return c.conn.Close()
}

func (c pooled) take(ctx context.Context) error {
	p, me := c.pool, inLine{c.proc.Name(), c.proc.Clock().NewEvent()}
	if len(p.users) < p.size {
		p.users = append(p.users, me.client)
		return nil
	}
	p.queue = append(p.queue, me)
	c.tell(fmt.Sprintf("waits for a connection of the pool, number %d in line", len(p.queue)), trace.SessionChange{
		State: "waiting", Waits: "a connection", For: slices.Clone(p.users),
	})
	err := me.turn.Wait(ctx, clock.NoLimit)
	if err != nil {
		p.queue = slices.DeleteFunc(p.queue, func(l inLine) bool { return l.turn == me.turn })
		c.tell("gives up waiting for a connection", trace.SessionChange{Gone: true})
		return err
	}
	c.tell("gets a connection of the pool", trace.SessionChange{Gone: true})
	return nil
}

// tell records that the client has begun or ceased to wait, which shows beside the
// sessions of the database.
func (c pooled) tell(text string, s trace.SessionChange) {
	client := c.proc.Name()
	s.Store, s.Name, s.Actor = c.node.Name(), client+"/pool", client
	c.node.rec.Add(trace.Event{Actor: client, Kind: trace.KindNote, Text: text, Sessions: []trace.SessionChange{s}})
}

// give takes a connection back from a client, and passes it on to whoever has
// waited longest.
func (p *Pool) give(client string) {
	i := slices.Index(p.users, client)
	p.users = slices.Delete(p.users, i, i+1)
	if len(p.queue) == 0 {
		return
	}
	next := p.queue[0]
	p.queue = p.queue[1:]
	p.users = append(p.users, next.client)
	next.turn.Set()
}
