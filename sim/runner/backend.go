package runner

import (
	"time"

	"github.com/lockstep-sim/lockstep/impl/lock"
)

// backend is what the locks of one run live in: one node or several behind the
// network, and the constructors of the locks.
type backend interface {
	// node is the node of that name. The names come from script.NodesOf.
	node(name string) node
	// locker builds the lock that the variant asks for, on the clock of the
	// client and with connections of its own.
	locker(c *client, kind string) (lock.Locker, error)
	// close ends what the backend has started. It is called once.
	close()
}

// builder is how the runner makes a kind of store, and the kinds of lock that it
// has there. A test compares both with the tables of the language.
type builder struct {
	build func(*execution) (backend, error)
	kinds []string
}

// node is one server of a store. What more it can do, it says by implementing
// the interfaces below; a fault that it cannot suffer is an error of the
// scenario.
type node interface{ Name() string }

// clocked is a node with a clock of its own.
type clocked interface {
	SetOffset(time.Duration)
	Jump(time.Duration) // forwards or backwards
}

// drifting is a node whose clock can run fast (seconds gained per second) or
// slow.
type drifting interface{ SetDrift(rate float64) }

// killable is a node that can be killed and started again.
type killable interface {
	Kill()
	// Restart starts it with nothing, from its last snapshot, or from its log.
	Restart(from string) error
}

// vanishing is a node whose whole machine can be lost, so that nothing closes its
// connections.
type vanishing interface{ Vanish() }

// saver is a node that takes snapshots when told to.
type saver interface{ Save() }

// sessionKeeper is a node at which clients have sessions.
type sessionKeeper interface {
	// ExpireSession ends the client's session as the server does when it has
	// heard nothing for too long. It reports whether there was one.
	ExpireSession(client string) bool
}

// builders are the stores by name.
var builders = map[string]builder{
	"zookeeper": {newZooKeeper, zkKindNames()},
	"consul":    {newConsul, consulKindNames()},
	"etcd":      {newEtcd, etcdKindNames()},
	"redis":     {newRedis, redisKindNames()},
	"mysql":     {newMySQLStore, append(modelKindNames("mysql"), rowlockKind)},
	"postgres":  {newPostgresStore, append(modelKindNames("postgres"), rowlockKind)},
	"sqlite":    {newSQLite, sqliteKindNames()},
}

// noStore is the backend of locks that need none.
type noStore struct{}

func (noStore) node(string) node { return nil }

func (noStore) locker(c *client, _ string) (lock.Locker, error) { return newLocalMutex(c), nil }

func (noStore) close() {}
