package etcdstore

import (
	"maps"
	"slices"
	"strings"

	"github.com/lockstep-sim/lockstep/impl/etcdlock"
	"github.com/lockstep-sim/lockstep/sim/kernel"
	"github.com/lockstep-sim/lockstep/sim/store/etcdstore/model"
	"github.com/lockstep-sim/lockstep/sim/trace"
)

// Begin records what is in the store before anything has happened, if there is
// something.
func (n *Node) Begin() {
	e := trace.Event{Actor: n.Name(), Kind: trace.KindNote}
	n.settle(&e)
	if len(e.Changes) == 0 {
		return
	}
	var parts []string
	for _, c := range e.Changes {
		parts = append(parts, c.Key+" is "+c.Value)
	}
	e.Text = strings.Join(parts, ", ")
	n.rec.Add(e)
}

// settle adds to e what is different from the last record, and makes sure that
// the node's loops go on.
func (n *Node) settle(e *trace.Event) {
	now := map[string]trace.KeyChange{}
	for _, k := range n.machine.Keys() {
		c := n.describe(k)
		now[k.Key] = c
		if old, known := n.keys[k.Key]; !known || old != c {
			e.Changes = append(e.Changes, c)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(n.keys)) {
		if _, exists := now[key]; !exists {
			e.Changes = append(e.Changes, trace.KeyChange{Store: n.Name(), Key: key, Deleted: true})
		}
	}
	n.keys = now
	n.judge(e)
	n.forget(e)
	n.schedule()
}

// describe is the state of one key. A key ends with its lease.
func (n *Node) describe(k model.Entry) trace.KeyChange {
	c := trace.KeyChange{Store: n.Name(), Key: k.Key, Value: k.Value}
	if end, ttl, ok := n.machine.Lease(k.Lease); ok {
		c.Expires, c.TTL = int64(n.proc.Virtual(kernel.Epoch.Add(end))), int64(ttl)
	}
	return c
}

// judge adds to e who owns the locks, where that changed.
func (n *Node) judge(e *trace.Event) {
	for _, lock := range n.cfg.Locks {
		t := trace.Truth{Lock: lock}
		if k, taken := n.oldest(lock); taken {
			t.Grant = k.Value
			t.Owner = n.cfg.Owner(t.Grant)
		}
		if old := n.truths[lock]; t != old && (t.Owner != "" || old.Owner != "") {
			n.truths[lock] = t
			e.Truths = append(e.Truths, t)
		}
	}
}

// oldest is the key of a lock that was created first, among those that live with
// a lease.
func (n *Node) oldest(lock string) (model.Entry, bool) {
	var first model.Entry
	for _, k := range n.machine.Keys() {
		if k.Lease == 0 || k.Key != lock && !strings.HasPrefix(k.Key, lock+"/") {
			continue
		}
		if first.Key == "" || k.CreateRevision < first.CreateRevision {
			first = k
		}
	}
	return first, first.Key != ""
}

// forget adds to e the watches that have been closed.
func (n *Node) forget(e *trace.Event) {
	for _, w := range n.closed {
		e.Watches = append(e.Watches, w.change(true))
	}
	n.closed = nil
}

// write is what a transaction did to a register, nil if it was about none.
func (n *Node) write(txn etcdlock.Txn, res etcdlock.Result, by string) *trace.Write {
	for _, o := range txn.Then {
		if o.Kind == etcdlock.OpPut && slices.Contains(n.cfg.Registers, o.Key) {
			return &trace.Write{Name: o.Key, Value: o.Value, Grant: by, Accepted: res.Succeeded}
		}
	}
	return nil
}

// expired says which leases have ended.
func expired(ids []etcdlock.LeaseID) string {
	var names []string
	for _, id := range ids {
		names = append(names, leaseName(id))
	}
	return "out of time and revoked: " + strings.Join(names, ", ")
}
