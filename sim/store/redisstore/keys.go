package redisstore

import (
	"cmp"
	"slices"
	"strings"

	"github.com/lockstep-sim/lockstep/sim/kernel"
	"github.com/lockstep-sim/lockstep/sim/trace"
)

// Begin records what is in the store before anything has happened, if there is
// something.
func (n *Node) Begin() {
	e := trace.Event{Actor: n.Name(), Kind: trace.KindNote}
	n.changes(&e)
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

// tick brings the server's clock up to date and records the keys whose time has
// run out.
func (n *Node) tick() {
	n.mini.SetTime(n.proc.Now())
	e := trace.Event{Actor: n.Name(), Kind: trace.KindExpire}
	n.changes(&e)
	if len(e.Changes) == 0 {
		return
	}
	var names []string
	for _, c := range e.Changes {
		names = append(names, c.Key)
	}
	e.Text = strings.Join(names, ", ") + " expires"
	n.rec.Add(e)
}

// changes adds to e what is different from the last record, and makes sure that
// the next expiry happens at its time.
func (n *Node) changes(e *trace.Event) {
	now := map[string]trace.KeyChange{}
	var next int64
	for _, key := range n.mini.Keys() {
		c := n.describe(key)
		now[key] = c
		if c.Expires != 0 && (next == 0 || c.Expires < next) {
			next = c.Expires
		}
		if old, known := n.keys[key]; !known || old != c {
			e.Changes = append(e.Changes, c)
		}
	}
	for key, old := range n.keys {
		if _, exists := now[key]; !exists {
			e.Changes = append(e.Changes, trace.KeyChange{Store: old.Store, Key: key, Deleted: true})
		}
	}
	slices.SortFunc(e.Changes, func(a, b trace.KeyChange) int { return cmp.Compare(a.Key, b.Key) })
	n.keys = now
	n.cfg.Judge.look(e)
	n.schedule(next)
}

// describe is the state of one key. The full TTL is kept from the moment when
// the expiry was set, because only the rest of it can be asked for.
func (n *Node) describe(key string) trace.KeyChange {
	c := trace.KeyChange{Store: n.Name(), Key: key, Value: n.value(key)}
	left := n.mini.TTL(key)
	if left <= 0 {
		return c
	}
	c.Expires, c.TTL = int64(n.proc.Virtual(n.proc.Now().Add(left))), int64(left)
	if old, known := n.keys[key]; known && old.Expires == c.Expires {
		c.TTL = old.TTL
	}
	return c
}

func (n *Node) value(key string) string {
	switch n.mini.Type(key) {
	case "string":
		v, _ := n.mini.Get(key) // the type was just looked up
		return v
	case "hash":
		fields, _ := n.mini.HKeys(key)
		for i, f := range fields {
			fields[i] = f + ": " + n.mini.HGet(key, f)
		}
		return "{" + strings.Join(fields, ", ") + "}"
	case "list":
		items, _ := n.mini.List(key)
		return "[" + strings.Join(items, ", ") + "]"
	case "zset":
		members, _ := n.mini.ZMembers(key)
		return "(" + strings.Join(members, ", ") + ")"
	default:
		return "(" + n.mini.Type(key) + ")"
	}
}

// grantOf is the identity of the grant in the value of a lock: the value itself
// or, for a hash of hold counts, its field. Of a set of holds it is the one that
// ends first; a hold is named LENGTH:OWNER:GRANT or only GRANT.
func grantOf(value string) string {
	if inner, isHash := strings.CutPrefix(value, "{"); isHash {
		field, _, _ := strings.Cut(inner, ":")
		return field
	}
	if inner, isSet := strings.CutPrefix(value, "("); isSet {
		first, _, _ := strings.Cut(strings.TrimSuffix(inner, ")"), ", ")
		return first[strings.LastIndex(first, ":")+1:]
	}
	return value
}

// schedule wakes the node when the next key ends.
func (n *Node) schedule(next int64) {
	if n.expiry != nil {
		n.net.Kernel().Cancel(n.expiry)
		n.expiry = nil
	}
	if next != 0 {
		// The clock of a node that drifts may be a rounding short of it then.
		at := max(kernel.Time(next), n.net.Kernel().Now()+1)
		n.expiry = n.net.Kernel().At(at, n.tick)
	}
}
