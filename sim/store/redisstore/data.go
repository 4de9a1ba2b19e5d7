package redisstore

import (
	"maps"
	"slices"
	"time"

	"github.com/alicebob/miniredis/v2"
)

// entry is a key with its value, as a replica, a snapshot or a log has it.
type entry struct {
	put func(m *miniredis.Miniredis) // nil where the key is deleted
	// end is when the key expires, on the clock of whoever has it: Redis copies
	// and stores expiries as points in time. Zero means never.
	end time.Time
}

// data is all keys of a node.
type data map[string]entry

// entry is the present state of one key.
func (n *Node) entry(key string) entry {
	n.mini.SetTime(n.proc.Now())
	if !n.mini.Exists(key) {
		return entry{}
	}
	e := entry{put: n.copier(key)}
	if left := n.mini.TTL(key); left > 0 {
		e.end = n.proc.Now().Add(left)
	}
	return e
}

// copier returns what writes the present value of the key to another server.
func (n *Node) copier(key string) func(*miniredis.Miniredis) {
	switch n.mini.Type(key) {
	case "hash":
		var pairs []string
		fields, _ := n.mini.HKeys(key) // the type was just looked up, here and below
		for _, f := range fields {
			pairs = append(pairs, f, n.mini.HGet(key, f))
		}
		return func(m *miniredis.Miniredis) { m.HSet(key, pairs...) }
	case "list":
		items, _ := n.mini.List(key)
		return func(m *miniredis.Miniredis) { _, _ = m.Push(key, items...) }
	case "zset":
		scores, _ := n.mini.SortedSet(key)
		return func(m *miniredis.Miniredis) {
			for _, member := range slices.Sorted(maps.Keys(scores)) {
				_, _ = m.ZAdd(key, scores[member], member)
			}
		}
	default:
		v, _ := n.mini.Get(key)
		return func(m *miniredis.Miniredis) { _ = m.Set(key, v) }
	}
}

// data is the present state of all keys.
func (n *Node) data() data {
	out := data{}
	for _, key := range n.mini.Keys() {
		out[key] = n.entry(key)
	}
	return out
}

// load replaces everything by d. What has expired meanwhile is left out.
func (n *Node) load(d data) {
	n.mini.FlushAll()
	n.apply(d)
}

// apply gives the keys of d their state and leaves the others alone.
func (n *Node) apply(d data) {
	for _, key := range slices.Sorted(maps.Keys(d)) {
		n.put(key, d[key])
	}
}

// put gives one key the state e.
func (n *Node) put(key string, e entry) {
	n.mini.Del(key)
	left := e.end.Sub(n.proc.Now())
	if e.put == nil || !e.end.IsZero() && left <= 0 {
		return
	}
	e.put(n.mini)
	if !e.end.IsZero() {
		n.mini.SetTTL(key, left)
	}
}
