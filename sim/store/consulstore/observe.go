package consulstore

import (
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/consul/api"

	"github.com/lockstep-sim/lockstep/impl/embedded/consul"
	"github.com/lockstep-sim/lockstep/sim/trace"
)

// settle adds to e what is different from the last record.
func (n *Node) settle(e *trace.Event) {
	entries, _, _ := n.store.List(background, "", consul.Query{}) // fails only where the server is closed
	n.settleKeys(e, entries)
	n.settleSessions(e, entries)
	n.judge(e, entries)
}

func (n *Node) settleKeys(e *trace.Event, entries api.KVPairs) {
	now := map[string]trace.KeyChange{}
	for _, p := range entries {
		c := n.describeKey(p)
		now[p.Key] = c
		if n.keys[p.Key] != c {
			e.Changes = append(e.Changes, c)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(n.keys)) {
		if _, exists := now[key]; !exists {
			e.Changes = append(e.Changes, trace.KeyChange{Store: n.Name(), Key: key, Deleted: true})
		}
	}
	n.keys = now
}

// describeKey is the state of one key. Whoever holds it does so until its
// session ends.
func (n *Node) describeKey(p *api.KVPair) trace.KeyChange {
	c := trace.KeyChange{Store: n.Name(), Key: p.Key, Value: string(p.Value)}
	if p.Session == "" {
		c.Value += holder(p)
		return c
	}
	c.Session = n.clients[p.Session]
	if ends, life, ok := n.store.SessionEnd(p.Session); ok {
		c.Expires, c.TTL = int64(n.proc.Virtual(ends)), int64(life)
	}
	return c
}

func (n *Node) settleSessions(e *trace.Event, entries api.KVPairs) {
	list, _, _ := n.store.Sessions(background, consul.Query{}) // fails only where the server is closed
	now := map[string]trace.SessionChange{}
	for _, s := range list {
		c := trace.SessionChange{Store: n.Name(), Name: s.ID, Actor: n.clients[s.ID], State: "alive"}
		for _, p := range entries {
			if p.Session == s.ID {
				c.Holds = append(c.Holds, p.Key)
			}
		}
		now[s.ID] = c
		if old, known := n.sessions[s.ID]; !known || !slices.Equal(old.Holds, c.Holds) {
			e.Sessions = append(e.Sessions, c)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(n.sessions)) {
		if _, exists := now[id]; !exists {
			old := n.sessions[id]
			old.Gone = true
			e.Sessions = append(e.Sessions, old)
		}
	}
	n.sessions = now
}

// judge adds to e who owns the locks, where that changed.
func (n *Node) judge(e *trace.Event, entries api.KVPairs) {
	for _, lock := range n.cfg.Locks {
		t := trace.Truth{Lock: lock}
		i := slices.IndexFunc(entries, func(p *api.KVPair) bool { return p.Key == lock && p.Session != "" })
		if i >= 0 {
			t.Grant = string(entries[i].Value)
			t.Owner = n.cfg.Owner(t.Grant)
		}
		if old := n.truths[lock]; t != old && (t.Owner != "" || old.Owner != "") {
			n.truths[lock] = t
			e.Truths = append(e.Truths, t)
		}
	}
}

// over says which sessions have ended, and whether that keeps a lock from
// everybody for a while.
func (n *Node) over(changes []trace.SessionChange) string {
	var ended, delay string
	for _, c := range changes {
		if !c.Gone {
			continue
		}
		if ended != "" {
			ended += " and "
		}
		ended += c.Name
		for _, key := range c.Holds {
			if left := n.store.LockDelay(key); left > 0 {
				delay = fmt.Sprintf(", lock-delay %s", trace.Instant(int64(left)))
			}
		}
	}
	return "invalidates " + ended + delay
}
