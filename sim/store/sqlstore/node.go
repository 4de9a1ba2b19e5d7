package sqlstore

import (
	"slices"
	"time"

	"github.com/lockstep-sim/lockstep/sim/kernel"
	"github.com/lockstep-sim/lockstep/sim/network"
	"github.com/lockstep-sim/lockstep/sim/record"
	"github.com/lockstep-sim/lockstep/sim/trace"
)

// Config is what a node needs to know to explain itself.
type Config struct {
	// Views are queries whose rows are shown as keys of the store: a name, a
	// value, and the milliseconds since 1970 at which it ends, or NULL.
	Views []string
	// Rows are those of the views whose rows transactions are about: a session
	// shows what it sees of them.
	Rows []string
	// Locks are the names of the locks. The row that is shown under the name of
	// a lock has the identity of its grant as its value.
	Locks []string
	// LockTable is the table whose locked rows are the locks, for locks that are
	// held by a transaction.
	LockTable string
	// Owner maps the identity of a grant to the client that made it.
	Owner func(grant string) (client string)
}

// Node is one database server with its own clock.
type Node struct {
	proc   *kernel.Process
	net    *network.Network
	rec    *record.Recorder
	engine Engine
	cfg    Config

	conns  map[string]int // how many connections a client has made
	open   []*conn
	keys   map[string]trace.KeyChange // as last recorded
	ends   map[string]int64           // the database's time at which a row ends, in ms since 1970
	truths map[string]trace.Truth     // by lock
	expiry *kernel.Event
}

// New puts a database behind the network. The engine's clock must be that of
// proc. The node must be closed, and the engine with it.
func New(proc *kernel.Process, net *network.Network, rec *record.Recorder, engine Engine, cfg Config) *Node {
	n := &Node{
		proc: proc, net: net, rec: rec, engine: engine, cfg: cfg,
		conns: map[string]int{}, keys: map[string]trace.KeyChange{}, ends: map[string]int64{}, truths: map[string]trace.Truth{},
	}
	if s, ok := engine.(Spontaneous); ok {
		s.OnChange(n.happened)
	}
	return n
}

// Close closes the database.
func (n *Node) Close() { n.engine.Close() }

// Name is the name of the node's process, which is its lane in the timeline.
func (n *Node) Name() string { return n.proc.Name() }

// SetOffset sets by how much the clock of the node is ahead from the start.
func (n *Node) SetOffset(d time.Duration) { n.proc.SetOffset(d) }

// SetDrift makes the node's clock gain rate seconds in one.
func (n *Node) SetDrift(rate float64) { n.proc.SetDrift(rate) }

// Jump moves the clock of the node. Rows do not change by it, but what they say
// about the time means another instant.
func (n *Node) Jump(d time.Duration) {
	n.proc.Jump(d)
	e := trace.Event{Actor: n.Name(), Kind: trace.KindFault, Text: "its clock jumps by " + trace.Instant(int64(d))}
	n.settle(&e)
	n.rec.Add(e)
}

// execute lets the database execute a statement that has arrived, and sends the
// answer when there is one.
func (n *Node) execute(c *conn, r *network.Request, s Statement, w *writing, receive func(Answer)) {
	answered := false
	c.session.Do(s, func(a Answer) {
		answered = true
		e := trace.Event{
			Actor: n.Name(), Kind: trace.KindExec, Text: r.Text, Reply: a.String(), Peer: c.link.Client().Name(), Msg: r.ID,
		}
		n.settle(&e)
		w.note(&e, s, a)
		n.rec.Add(e)
		c.link.Answer(r, e.Reply, func() { receive(a) })
	})
	if !answered {
		n.pending(c)
	}
}

// note adds to e what a statement did to the resource that it is meant for.
func (w *writing) note(e *trace.Event, s Statement, a Answer) {
	if w == nil || !slices.Contains([]string{"INSERT", "UPDATE"}, command(s.Text)) || !mentions(s.Text, w.table) {
		return
	}
	write := *w.write
	write.Accepted = a.Err == nil && a.Affected != 0
	e.Write = &write
}

// hangUp ends the session of a connection that is gone.
func (n *Node) hangUp(c *conn) {
	c.session.Close()
	n.open = slices.DeleteFunc(n.open, func(o *conn) bool { return o == c })
	if c.told.State == "" {
		return
	}
	e := trace.Event{Actor: n.Name(), Kind: trace.KindNote, Text: "rolled back: the connection is gone"}
	n.settle(&e)
	n.rec.Add(e)
}
