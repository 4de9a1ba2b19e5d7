package consul

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/consul/api"
)

// tx is an entry of the log under way: a set of writes on top of the Store that
// take effect together or not at all. The Store is locked meanwhile.
type tx struct {
	s      *Store
	index  uint64
	writes map[string]*api.KVPair // nil means deleted
}

// begin takes the next index of the log, which is used up even if nothing is
// written.
func (s *Store) begin() *tx {
	s.index++
	return &tx{s: s, index: s.index, writes: make(map[string]*api.KVPair)}
}

// get returns the entry of key, or nil. It must not be changed.
func (t *tx) get(key string) *api.KVPair {
	if e, ok := t.writes[key]; ok {
		return e
	}
	return t.s.kv[key]
}

// list returns the entries whose keys start with prefix, in the order of keys.
func (t *tx) list(prefix string) api.KVPairs {
	merged := make(map[string]*api.KVPair)
	for _, layer := range []map[string]*api.KVPair{t.s.kv, t.writes} {
		for key, e := range layer {
			if strings.HasPrefix(key, prefix) {
				merged[key] = e
			}
		}
	}
	return sorted(merged)
}

// put stores e as it is, apart from its indexes. What changes nothing is not
// stored and keeps its ModifyIndex.
func (t *tx) put(e api.KVPair) *api.KVPair {
	e.CreateIndex, e.ModifyIndex = t.index, t.index
	if old := t.get(e.Key); old != nil {
		if same(old, &e) {
			return old
		}
		e.CreateIndex = old.CreateIndex
	}
	t.writes[e.Key] = &e
	return &e
}

func (t *tx) delete(key string) {
	if t.get(key) != nil {
		t.writes[key] = nil
	}
}

// commit makes the writes part of the Store and wakes who waits for them.
func (t *tx) commit() {
	if len(t.writes) == 0 {
		return
	}
	for key, e := range t.writes {
		if e == nil {
			delete(t.s.kv, key)
			t.s.graves.bury(key, t.index)
		} else {
			t.s.kv[key] = e
		}
	}
	t.s.kvIndex = t.index
	t.s.wake(func(i interest) bool {
		for key := range t.writes {
			if i.covers(key) {
				return true
			}
		}
		return false
	})
}

func same(a, b *api.KVPair) bool {
	return a.LockIndex == b.LockIndex && a.Flags == b.Flags && a.Session == b.Session && bytes.Equal(a.Value, b.Value)
}

// sorted returns the entries in the order of their keys, without the nil ones.
func sorted(entries map[string]*api.KVPair) api.KVPairs {
	list := make(api.KVPairs, 0, len(entries))
	for _, key := range slices.Sorted(maps.Keys(entries)) {
		if e := entries[key]; e != nil {
			list = append(list, e)
		}
	}
	return list
}
