package runner

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/lockstep-sim/lockstep/impl/embedded/zk/state"
	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/zklock"
	zkanti "github.com/lockstep-sim/lockstep/impl/zklock/antipattern"
	"github.com/lockstep-sim/lockstep/impl/zklock/zkconn"
	"github.com/lockstep-sim/lockstep/sim/kernel"
	"github.com/lockstep-sim/lockstep/sim/store/zkstore"
)

// zkKinds builds the locks on ZooKeeper by the name that scenarios use.
var zkKinds = map[string]func(zkconn.Conn, zklock.Config) (lock.Locker, error){
	"zookeeper":                    onZooKeeper(zklock.New),
	"zookeeper/herd":               onZooKeeper(zkanti.NewHerdWatch),
	"zookeeper/immortal-session":   onZooKeeper(zkanti.NewImmortalSession),
	"zookeeper/numeric-order":      onZooKeeper(zkanti.NewNumericOrder),
	"zookeeper/one-node":           onZooKeeper(zkanti.NewOneNode),
	"zookeeper/predecessor-gone":   onZooKeeper(zkanti.NewPredecessorGone),
	"zookeeper/replaced-key":       onZooKeeper(zkanti.NewReplacedKey),
	"zookeeper/unprotected-create": onZooKeeper(zkanti.NewUnprotectedCreate),
	"zookeeper/watch-gap":          onZooKeeper(zkanti.NewWatchGap),
}

func zkKindNames() []string { return slices.Sorted(maps.Keys(zkKinds)) }

// onZooKeeper gives a constructor the type of the table.
func onZooKeeper[L lock.Locker](f func(zkconn.Conn, zklock.Config) (L, error)) func(zkconn.Conn, zklock.Config) (lock.Locker, error) {
	return func(conn zkconn.Conn, cfg zklock.Config) (lock.Locker, error) { return f(conn, cfg) }
}

// zkBase is the path of all locks, the default of zklock.
const zkBase = "/lockstep"

// zkBackend is one ZooKeeper server or an ensemble.
type zkBackend struct {
	x     *execution
	store *zkstore.Store
}

func newZooKeeper(x *execution) (backend, error) {
	if x.params["renew"] == "off" {
		return nil, errors.New("locks on ZooKeeper live as long as their session: renew=off has no meaning there")
	}
	b := &zkBackend{x: x}
	var procs []*kernel.Process
	for _, name := range x.nodes {
		procs = append(procs, x.k.NewProcess(name))
	}
	wrap := state.WrapSticks
	if x.params["wrap"] == "signed" {
		wrap = state.WrapSigned
	}
	b.store = zkstore.New(procs, x.net, x.rec, zkstore.Config{Base: zkBase, Wrap: wrap})
	var queues []string
	for _, key := range x.lockKeys() {
		queues = append(queues, zklock.QueuePath(zkBase, key))
	}
	return b, b.store.Prepare(queues, int32(x.number("sequence")))
}

func (b *zkBackend) node(name string) node {
	if n := b.store.Node(name); n != nil {
		return n
	}
	return nil
}

func (b *zkBackend) locker(c *client, kind string) (lock.Locker, error) {
	conn, err := b.store.Client(c.proc, b.x.param("ttl"))
	if err != nil {
		return nil, err
	}
	l, err := zkKinds[kind](conn, zklock.Config{
		Clock: c.clk, Base: zkBase, NewOwner: func() string { return b.x.owners.next(c.name) },
	})
	return session{l, conn}, err
}

func (b *zkBackend) close() {}

// session is a lock with the session that it lives in.
type session struct {
	lock.Locker
	conn interface{ Close(context.Context) error }
}

// end closes the session in order, as a process does that shuts down.
func (s session) end(ctx context.Context) error { return s.conn.Close(ctx) }
