package consulstore

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/lockstep-sim/lockstep/impl/clock"
	"github.com/lockstep-sim/lockstep/impl/embedded/consul"
	"github.com/lockstep-sim/lockstep/sim/kernel"
	"github.com/lockstep-sim/lockstep/sim/network"
	"github.com/lockstep-sim/lockstep/sim/record"
	"github.com/lockstep-sim/lockstep/sim/trace"
)

// Config is what a node needs to know to explain itself.
type Config struct {
	// Locks are the keys of the locks. The owner of one is in its value, while a
	// session holds it.
	Locks []string
	// Owner maps the identity of a grant to the client that made it.
	Owner func(grant string) (client string)
	// MinTTL is the shortest TTL that a session may ask for, session_ttl_min of
	// the server. Zero means 10 s.
	MinTTL time.Duration
}

// Node is one Consul server.
type Node struct {
	proc   *kernel.Process
	net    *network.Network
	rec    *record.Recorder
	cfg    Config
	store  *consul.Store
	server http.RoundTripper

	killed  bool
	empty   consul.Snapshot
	saved   consul.Snapshot // by save
	logged  consul.Snapshot // at the kill
	created map[string]int  // sessions by client, for their names
	asking  string          // the client whose request is being carried out

	clients  map[string]string              // by session
	keys     map[string]trace.KeyChange     // as last recorded
	sessions map[string]trace.SessionChange // as last recorded
	truths   map[string]trace.Truth         // by lock
}

// New starts a node. It has nothing to close.
func New(proc *kernel.Process, net *network.Network, rec *record.Recorder, cfg Config) *Node {
	n := &Node{
		proc: proc, net: net, rec: rec, cfg: cfg,
		created: map[string]int{}, clients: map[string]string{},
		keys:     map[string]trace.KeyChange{},
		sessions: map[string]trace.SessionChange{}, truths: map[string]trace.Truth{},
	}
	n.store = consul.NewStore(consul.Options{
		Clock: serverClock{proc.Clock(), n.afterTimer}, Node: proc.Name(), MinTTL: cfg.MinTTL,
		NewID:  n.nextSession,
		Jitter: func(time.Duration) time.Duration { return 0 },
	})
	n.server = consul.Transport(n.store)
	n.empty = n.store.Snapshot()
	n.saved = n.empty
	return n
}

// Name is the name of the node's process, which is its lane in the timeline.
func (n *Node) Name() string { return n.proc.Name() }

// serverClock is the clock of the server, with somebody who looks at what its
// timers have done.
type serverClock struct {
	clock.Clock
	after func()
}

func (c serverClock) AfterFunc(d time.Duration, f func()) clock.Timer {
	return c.Clock.AfterFunc(d, func() {
		f()
		c.after()
	})
}

// nextSession names sessions by their client, where a real server takes a UUID.
func (n *Node) nextSession() string {
	n.created[n.asking]++
	id := fmt.Sprintf("%s-s%d", n.asking, n.created[n.asking])
	n.clients[id] = n.asking
	return id
}

// afterTimer records that a session has ended, if one has.
func (n *Node) afterTimer() {
	if n.killed {
		return
	}
	e := trace.Event{Actor: n.Name(), Kind: trace.KindExpire}
	n.settle(&e)
	if len(e.Sessions) > 0 {
		e.Text = n.over(e.Sessions)
		n.rec.Add(e)
	}
}

// ExpireSession ends the sessions of the client, at once.
func (n *Node) ExpireSession(client string) bool {
	found := false
	for _, id := range slices.Sorted(maps.Keys(n.sessions)) {
		if n.clients[id] == client {
			found = true
			_ = n.store.DestroySession(id) // fails only where the server is closed
		}
	}
	n.afterTimer()
	return found
}

// SetDrift makes the node's clock gain rate seconds in one, its sessions
// included.
func (n *Node) SetDrift(rate float64) { n.proc.SetDrift(rate) }

// Save keeps a snapshot, as "consul snapshot save" does.
func (n *Node) Save() {
	n.saved = n.store.Snapshot()
	n.rec.Add(trace.Event{Actor: n.Name(), Kind: trace.KindNote, Text: fmt.Sprintf("saves a snapshot at index %d", n.store.Index())})
}

// Kill ends the server's process. Connections break.
func (n *Node) Kill() {
	n.killed = true
	n.logged = n.store.Snapshot()
	n.rec.Add(trace.Event{Actor: n.Name(), Kind: trace.KindFault, Text: "is killed", State: trace.StateCrashed})
	n.net.BreakAll(n.Name())
}

// Restart starts the server again: from its log with what it had, all sessions
// with their full time to live; from the last snapshot; or with nothing. A server
// that was not killed keeps its connections, as when a snapshot is restored with
// "consul snapshot restore".
func (n *Node) Restart(from string) error {
	state, text := n.empty, "starts again with nothing"
	switch {
	case from == "snapshot":
		state, text = n.saved, "restores the snapshot"
	case from == "log" && !n.killed:
		return fmt.Errorf("%s has not been killed: it goes on with its log", n.Name())
	case from == "log":
		state, text = n.logged, "starts again"
	}
	n.store.Restore(state)
	e := trace.Event{
		Actor: n.Name(), Kind: trace.KindFault, State: trace.StateRunning,
		Text: fmt.Sprintf("%s, index %d", text, n.store.Index()),
	}
	n.killed = false
	n.settle(&e)
	n.rec.Add(e)
	return nil
}
