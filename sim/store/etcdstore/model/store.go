// Package model is what one etcd member answers, as a pure state machine: keys
// with revisions, transactions, leases and watches for deletions.
//
// What belongs here: answers, in the terms of etcdlock.Store. What does not: the
// network, the clock (whoever calls says what time it is) and what the record of
// a run shows of it.
//
// A test runs random sequences of operations against this package and against a
// real etcd, and compares. Not modelled, because no lock uses them: reads at a
// past revision and compaction, values and versions in comparisons, nested
// transactions, ranges other than a prefix, authentication, and the messages
// among the members of a cluster.
package model

import (
	"cmp"
	"slices"
	"strings"

	"github.com/lockstep-sim/lockstep/impl/etcdlock"
)

// Entry is a key with everything that etcd keeps of it.
type Entry struct {
	etcdlock.KV
	// ModRevision is that of the last put, Version how many there have been since
	// the key was created.
	ModRevision, Version int64
}

// Store is the state of a member. The zero value is not ready; see [New].
type Store struct {
	revision  int64
	keys      map[string]Entry
	leases    map[etcdlock.LeaseID]*lease
	deletions []Deletion // the history, as far as watches are interested
	watches   []*Watch   // in the order in which they were opened
	notices   []Notice
}

// New is a member without keys. Its revision is 1, as that of a new etcd.
func New() *Store {
	return &Store{revision: 1, keys: map[string]Entry{}, leases: map[etcdlock.LeaseID]*lease{}}
}

// Revision is that of the last change.
func (s *Store) Revision() int64 { return s.revision }

// Keys lists all keys by name.
func (s *Store) Keys() []Entry {
	var out []Entry
	for _, e := range s.keys {
		out = append(out, e)
	}
	slices.SortFunc(out, func(a, b Entry) int { return cmp.Compare(a.Key, b.Key) })
	return out
}

// put writes a key at a revision.
func (s *Store) put(o etcdlock.Op, revision int64) {
	e, exists := s.keys[o.Key]
	if !exists {
		e.Key, e.CreateRevision = o.Key, revision
	}
	e.Value, e.Lease, e.ModRevision = o.Value, o.Lease, revision
	e.Version++
	s.keys[o.Key] = e
}

// remove deletes a key at a revision and tells those who watch it. It reports
// whether there was one.
func (s *Store) remove(key string, revision int64) bool {
	if _, exists := s.keys[key]; !exists {
		return false
	}
	delete(s.keys, key)
	d := Deletion{Key: key, Revision: revision}
	s.deletions = append(s.deletions, d)
	for _, w := range s.watches {
		if !w.behind {
			s.tell(w, d)
		}
	}
	return true
}

// newest reads the keys with a prefix, the one that was created last first.
func (s *Store) newest(o etcdlock.Op) []etcdlock.KV {
	var out []etcdlock.KV
	for _, e := range s.Keys() {
		if strings.HasPrefix(e.Key, o.Key) && (o.MaxCreateRevision == 0 || e.CreateRevision <= o.MaxCreateRevision) {
			out = append(out, e.KV)
		}
	}
	slices.SortStableFunc(out, func(a, b etcdlock.KV) int { return cmp.Compare(b.CreateRevision, a.CreateRevision) })
	if o.Limit > 0 && len(out) > o.Limit {
		out = out[:o.Limit]
	}
	return out
}
