package zkstore

import (
	"fmt"
	"time"

	"github.com/lockstep-sim/lockstep/impl/clock"
	"github.com/lockstep-sim/lockstep/impl/embedded/zk/state"
	"github.com/lockstep-sim/lockstep/sim/kernel"
	"github.com/lockstep-sim/lockstep/sim/network"
	"github.com/lockstep-sim/lockstep/sim/record"
	"github.com/lockstep-sim/lockstep/sim/trace"
)

// Store is one ZooKeeper: a server or an ensemble.
type Store struct {
	net     *network.Network
	rec     *record.Recorder
	cfg     Config
	machine *state.Machine
	nodes   []*Node
	clients []*Client

	pushes  []push                     // of the request or the expiry that is under way
	entries map[string]trace.KeyChange // ephemeral nodes as last recorded, by path
	truths  map[string]trace.Truth     // by lock
	first   map[string]trace.Truth     // the present ones, of the locks that are taken
	seen    int64                      // the transaction that entries and first are of
	owners  map[int64]string           // clients by session, of those that go on
}

// Config is what a store needs to know.
type Config struct {
	// Wrap is what sequence numbers do at the end of their range.
	Wrap state.Wrap
	// Base is the path of the locks; it is left out of what is shown.
	Base string
}

// Node is one server.
type Node struct {
	store  *Store
	proc   *kernel.Process
	killed bool

	entries map[string]trace.KeyChange // as the server has last shown them
	seen    int64                      // the transaction after which it did
}

// New starts a store with a server for each process.
func New(procs []*kernel.Process, net *network.Network, rec *record.Recorder, cfg Config) *Store {
	s := &Store{
		net: net, rec: rec, cfg: cfg,
		entries: map[string]trace.KeyChange{}, truths: map[string]trace.Truth{}, owners: map[int64]string{},
	}
	for _, p := range procs {
		s.nodes = append(s.nodes, &Node{store: s, proc: p})
	}
	s.machine = state.New(state.Options{
		Clock: watching{procs[0].Clock(), s}, Wrap: cfg.Wrap, Secret: 1,
	})
	return s
}

// Machine is the state of the store, for what happened before the run.
func (s *Store) Machine() *state.Machine { return s.machine }

// Node is the server of that name, or nil.
func (s *Store) Node(name string) *Node {
	for _, n := range s.nodes {
		if n.Name() == name {
			return n
		}
	}
	return nil
}

// Name is the name of the server's process, which is its lane in the timeline.
func (n *Node) Name() string { return n.proc.Name() }

// SetOffset sets by how much the clock of the server is ahead. ZooKeeper measures
// sessions and does not read the time of day, so nothing comes of it.
func (n *Node) SetOffset(d time.Duration) { n.proc.SetOffset(d) }

// Jump moves the clock of the server, which changes nothing that is measured.
func (n *Node) Jump(d time.Duration) {
	n.proc.Jump(d)
	n.store.rec.Add(trace.Event{
		Actor: n.Name(), Kind: trace.KindFault, Text: "its clock jumps by " + trace.Instant(int64(d)),
	})
}

// Kill ends the server's process. Its clients look for another one.
func (n *Node) Kill() {
	n.killed = true
	n.store.rec.Add(trace.Event{Actor: n.Name(), Kind: trace.KindFault, Text: "is killed", State: trace.StateCrashed})
	n.store.net.BreakAll(n.Name())
	if n.store.majority() == nil {
		n.store.machine.Suspend()
	}
}

// Restart starts the server again. ZooKeeper writes to its log before it answers,
// so the log is the only state that it starts from.
func (n *Node) Restart(from string) error {
	if from != "log" {
		return fmt.Errorf("a ZooKeeper server starts from its log, not from %q", from)
	}
	lost := n.store.majority() == nil
	n.killed = false
	n.store.rec.Add(trace.Event{Actor: n.Name(), Kind: trace.KindNote, Text: "starts again", State: trace.StateRunning})
	if lost && n.store.majority() != nil {
		n.store.machine.Resume()
	}
	return nil
}

// ExpireSession ends the session of a client at once.
func (n *Node) ExpireSession(client string) bool {
	for _, c := range n.store.clients {
		if c.proc.Name() == client {
			ok := n.store.machine.ExpireSession(c.session.ID)
			n.store.settle()
			return ok
		}
	}
	return false
}

// serving reports whether the server reaches a majority of the ensemble, itself
// included.
func (n *Node) serving() bool {
	if n.killed {
		return false
	}
	reached := 0
	for _, o := range n.store.nodes {
		cut := n.store.net.Cut(n.Name(), o.Name()) || n.store.net.Cut(o.Name(), n.Name())
		if o == n || !o.killed && !cut {
			reached++
		}
	}
	return 2*reached > len(n.store.nodes)
}

// majority is the first server that serves, or nil.
func (s *Store) majority() *Node {
	for _, n := range s.nodes {
		if n.serving() {
			return n
		}
	}
	return nil
}

// watching is the clock of the state machine. What a timer of it has changed, the
// end of a session, is recorded once the machine is done.
type watching struct {
	clock.Clock
	s *Store
}

// AfterFunc implements clock.Clock.
func (w watching) AfterFunc(d time.Duration, f func()) clock.Timer {
	return w.Clock.AfterFunc(d, func() {
		f()
		w.s.settle()
	})
}
