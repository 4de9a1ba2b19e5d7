package etcdstore

import (
	"fmt"
	"slices"
	"time"

	"github.com/lockstep-sim/lockstep/impl/etcdlock"
	"github.com/lockstep-sim/lockstep/sim/kernel"
	"github.com/lockstep-sim/lockstep/sim/network"
	"github.com/lockstep-sim/lockstep/sim/record"
	"github.com/lockstep-sim/lockstep/sim/store/etcdstore/model"
	"github.com/lockstep-sim/lockstep/sim/trace"
)

// Config is what a node needs to know to explain itself.
type Config struct {
	// Locks are the names of the locks. The owner of one is in the value of the
	// oldest key that is called so, or begins so and with a slash.
	Locks []string
	// Owner maps the identity of a grant to the client that made it.
	Owner func(grant string) (client string)
	// Registers are keys that clients work on under a lock. A put to one is
	// recorded as a write, accepted if its transaction held.
	Registers []string
}

// Node is one etcd member.
type Node struct {
	proc    *kernel.Process
	net     *network.Network
	rec     *record.Recorder
	cfg     Config
	machine *model.Store
	killed  bool

	granted map[etcdlock.LeaseID]string // the client that asked for each lease
	ending  []func()                    // keep-alives that wait until a lease is revoked
	watches []*watch                    // open ones, oldest first
	closed  []*watch                    // since the last event

	keys   map[string]trace.KeyChange // as last recorded
	truths map[string]trace.Truth     // by lock
	expiry *kernel.Event
	resync *kernel.Event
}

// New starts a node. It has nothing to close.
func New(proc *kernel.Process, net *network.Network, rec *record.Recorder, cfg Config) *Node {
	return &Node{
		proc: proc, net: net, rec: rec, cfg: cfg, machine: model.New(),
		granted: map[etcdlock.LeaseID]string{},
		keys:    map[string]trace.KeyChange{}, truths: map[string]trace.Truth{},
	}
}

// Name is the name of the node's process, which is its lane in the timeline.
func (n *Node) Name() string { return n.proc.Name() }

// Put writes a key before the run begins.
func (n *Node) Put(key, value string) error {
	_, err := n.machine.Txn(etcdlock.Txn{Then: []etcdlock.Op{etcdlock.Put(key, value, 0)}})
	return err
}

// SetOffset sets by how much the clock of the node is ahead. etcd measures leases
// on the monotonic clock, so nothing comes of it.
func (n *Node) SetOffset(time.Duration) {}

// Jump moves the clock of the node, which changes nothing that is measured.
func (n *Node) Jump(d time.Duration) {
	n.rec.Add(trace.Event{
		Actor: n.Name(), Kind: trace.KindFault, Text: "its clock jumps by " + trace.Instant(int64(d)),
	})
}

// SetDrift makes the node's clock gain rate seconds in one, its leases included.
func (n *Node) SetDrift(rate float64) { n.proc.SetDrift(rate) }

// Kill ends the node's process. Connections break.
func (n *Node) Kill() {
	n.killed = true
	n.rec.Add(trace.Event{Actor: n.Name(), Kind: trace.KindFault, Text: "is killed", State: trace.StateCrashed})
	n.net.BreakAll(n.Name())
	n.schedule()
}

// Restart starts the node again. etcd writes to its log before it answers, so the
// log is the only state that it starts from. All leases begin anew.
func (n *Node) Restart(from string) error {
	if from != "log" {
		return fmt.Errorf("etcd starts from its log, not from %q", from)
	}
	n.killed = false
	n.ending = nil
	n.machine.Restart(n.now())
	e := trace.Event{Actor: n.Name(), Kind: trace.KindNote, Text: "starts again", State: trace.StateRunning}
	n.settle(&e)
	n.rec.Add(e)
	return nil
}

// ExpireSession ends the leases that the client has asked for, at once.
func (n *Node) ExpireSession(client string) bool {
	var ids []etcdlock.LeaseID
	for id, by := range n.granted {
		if _, _, alive := n.machine.Lease(id); alive && by == client {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	for _, id := range ids {
		_ = n.machine.Revoke(id) // it was just found
	}
	n.ended(ids)
	return len(ids) > 0
}

// now is the time on the node's clock since the start of the run.
func (n *Node) now() time.Duration { return n.proc.Now().Sub(kernel.Epoch) }

// schedule makes sure that the loops of the member run when they are needed.
func (n *Node) schedule() {
	n.cancel(&n.expiry)
	n.cancel(&n.resync)
	if n.killed {
		return
	}
	if end, some := n.machine.NextEnd(); some {
		n.expiry = n.at(end, model.ExpiryEvery, n.expire)
	}
	if n.machine.Behind() {
		n.resync = n.at(n.now()+1, model.ResyncEvery, n.catchUp)
	}
}

func (n *Node) cancel(e **kernel.Event) {
	if *e != nil {
		n.net.Kernel().Cancel(*e)
		*e = nil
	}
}

// at calls do at the first turn of a loop at t or later, by the node's clock.
func (n *Node) at(t, every time.Duration, do func(turn time.Duration)) *kernel.Event {
	turn := (t + every - 1).Truncate(every)
	return n.net.Kernel().At(n.proc.Virtual(kernel.Epoch.Add(turn)), func() { do(turn) })
}

// expire is a turn of the loop that ends leases.
func (n *Node) expire(turn time.Duration) {
	n.expiry = nil
	n.ended(n.machine.Expire(turn))
}

// ended records that leases have ended, and answers who has asked for them.
func (n *Node) ended(ids []etcdlock.LeaseID) {
	if len(ids) > 0 {
		e := trace.Event{Actor: n.Name(), Kind: trace.KindExpire, Text: expired(ids)}
		n.settle(&e)
		n.rec.Add(e)
		n.push()
	}
	waiting := n.ending
	n.ending = nil
	for _, again := range waiting {
		again()
	}
	n.schedule()
}

// catchUp is a turn of the loop that serves watches from the past.
func (n *Node) catchUp(time.Duration) {
	n.resync = nil
	n.machine.Resync()
	n.push()
	n.schedule()
}
