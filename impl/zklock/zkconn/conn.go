// Package zkconn is what the locks of package zklock need from ZooKeeper, as an
// interface, and that interface on the client github.com/go-zookeeper/zk.
//
// What belongs here: sessions, connections, single requests and their errors.
// What does not: anything about locks. The client waits on channels and knows no
// contexts; both end here, so that the code of the locks blocks in these methods
// and in a clock.Clock only.
package zkconn

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/lockstep-sim/lockstep/impl/lock"
)

// The errors of requests. They come wrapped with what the client said.
var (
	// ErrNoNode: there is no node of this path, or for a create no parent.
	ErrNoNode = errors.New("zookeeper: no such node")

	// ErrNodeExists: a node of this path is there already.
	ErrNodeExists = errors.New("zookeeper: node exists")

	// ErrNotEmpty: the node has children and cannot be deleted.
	ErrNotEmpty = errors.New("zookeeper: node has children")

	// ErrRefused: the server answered with any other error. Nothing changed.
	ErrRefused = errors.New("zookeeper: request refused")

	// ErrSessionExpired: the session ended before the request was carried out.
	// It is also lock.ErrSessionExpired.
	ErrSessionExpired = fmt.Errorf("zookeeper: %w", lock.ErrSessionExpired)

	// ErrDisconnected: no answer came. Whether the request was carried out is
	// not known; it is not going to be carried out later.
	ErrDisconnected = errors.New("zookeeper: connection lost")

	// ErrClosed: the Conn was closed. It is also lock.ErrClosed.
	ErrClosed = fmt.Errorf("zookeeper: %w", lock.ErrClosed)
)

// Mode is the kind of a node.
type Mode int

const (
	// Persistent nodes stay until they are deleted.
	Persistent Mode = iota
	// EphemeralSequential nodes end with the session that made them. The
	// server appends the next number of the parent to their name.
	EphemeralSequential
	// Ephemeral nodes end with the session that made them, and keep their name.
	Ephemeral
)

// Session is the time for which a server knows a client. It outlives
// connections; it never comes back once it has expired.
type Session struct {
	// ID is 0 while there is no session.
	ID int64
	// Timeout is what client and server agreed on: a session that the server
	// has not heard of for so long expires.
	Timeout time.Duration
}

// Node is a node as one request saw it.
type Node struct {
	Path string
	// Czxid is the transaction that created the node. It grows from node to
	// node over the whole server.
	Czxid int64
	// Owner is the session of an ephemeral node, else 0.
	Owner int64
	Data  []byte
}

// Conn is a client of ZooKeeper: one session after another, each kept alive by
// pings and moved to a new connection when the old one breaks.
//
// Every method that takes a context blocks until the server has answered, the
// connection is lost or the context ends. A request whose context ended may
// still be carried out, and later than requests that were made after it. Methods
// are safe for concurrent use.
type Conn interface {
	// Session is the current session.
	Session() Session

	// OnSessionEnd calls f with the id of every session that has expired, as
	// soon as the client knows. f must not block. The returned function ends
	// it.
	OnSessionEnd(f func(id int64)) (stop func())

	// Create makes a node. The name of a sequential one is in the result, of
	// which Czxid is set for ephemeral ones only.
	Create(ctx context.Context, path string, mode Mode) (Node, error)

	// Delete removes a node of any version.
	Delete(ctx context.Context, path string) error

	// Get reads a node.
	Get(ctx context.Context, path string) (Node, error)

	// Set replaces the data of a node, whatever its version.
	Set(ctx context.Context, path string, data []byte) error

	// Children lists the names below a node, in no order.
	Children(ctx context.Context, path string) ([]string, error)

	// Watch reads a node and calls notify once when it is next changed or
	// deleted, or when the watch is lost with its session. It sets no watch
	// where it returns an error. notify must not block. The returned function
	// withdraws notify and must be called.
	Watch(ctx context.Context, path string, notify func()) (Node, func(), error)

	// WatchChildren lists the names below a node and calls notify once when
	// the list next changes. Otherwise it is like Watch.
	WatchChildren(ctx context.Context, path string, notify func()) ([]string, func(), error)

	// Sync returns when the server has caught up with its leader. It proves
	// that the leader still knows the session, which an answer to a read does
	// not.
	Sync(ctx context.Context, path string) error
}
