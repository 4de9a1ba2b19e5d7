package zkstore

import (
	"cmp"
	"maps"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/lockstep-sim/lockstep/impl/embedded/zk/state"
	"github.com/lockstep-sim/lockstep/sim/trace"
)

// push is an event of a watch that is to be sent, or the end of a connection.
type push struct {
	to     *attachment
	event  state.Event
	hangUp bool
}

// settle records the sessions that ended without a request.
func (s *Store) settle() {
	if names := s.ended(); len(names) > 0 {
		e := trace.Event{Kind: trace.KindExpire, Text: "the session of " + strings.Join(names, ", ") + " expires"}
		if n := s.majority(); n != nil {
			e.Actor = n.Name()
		}
		for _, n := range names {
			e.Sessions = append(e.Sessions, trace.SessionChange{Store: e.Actor, Name: n, Actor: n, Gone: true})
		}
		s.changes(&e)
		s.rec.Add(e)
	}
	s.flush()
}

// ended names the clients whose sessions have ended since it was last asked. The
// machine is asked, for the nodes that are gone do not tell: a server that
// catches up loses some that were deleted long ago.
func (s *Store) ended() []string {
	if s.machine.Zxid() == s.seen {
		return nil // the end of a session is a transaction
	}
	going := map[int64]bool{}
	for _, session := range s.machine.Sessions() {
		going[session.ID] = true
	}
	var names []string
	for _, id := range slices.Sorted(maps.Keys(s.owners)) {
		if !going[id] {
			names = append(names, s.owners[id])
			delete(s.owners, id)
		}
	}
	return names
}

// changes adds to e which ephemeral nodes have come and gone at each server that
// is part of the majority. A minority keeps what it had, and catches up when it
// belongs to the majority again.
func (s *Store) changes(e *trace.Event) {
	zxid := s.machine.Zxid()
	for _, n := range s.nodes {
		if n.seen == zxid || !n.serving() {
			continue
		}
		if s.seen != zxid {
			s.seen = zxid
			s.entries, s.first = s.ephemerals()
		}
		n.seen = zxid
		n.catchUp(e)
	}
	s.judge(e)
}

// catchUp adds to e how the server differs from what it showed before.
func (n *Node) catchUp(e *trace.Event) {
	now := n.store.entries
	for _, p := range slices.Sorted(maps.Keys(now)) {
		if old, known := n.entries[p]; !known || old != now[p] {
			c := now[p]
			c.Store = n.Name()
			e.Changes = append(e.Changes, c)
		}
	}
	for _, p := range slices.Sorted(maps.Keys(n.entries)) {
		if _, exists := now[p]; !exists {
			c := n.entries[p]
			c.Store, c.Deleted, c.Value = n.Name(), true, ""
			e.Changes = append(e.Changes, c)
		}
	}
	n.entries = now
}

// ephemerals describes the nodes that live with a session, by path, and the one
// of each queue that was made first: its client has the lock.
func (s *Store) ephemerals() (map[string]trace.KeyChange, map[string]trace.Truth) {
	entries, names := map[string]trace.KeyChange{}, map[string]bool{}
	for _, c := range s.entries {
		names[c.Key] = true
	}
	first, czxid := map[string]trace.Truth{}, map[string]int64{}
	for _, n := range s.machine.Tree() {
		if n.Stat.EphemeralOwner == 0 {
			continue
		}
		grant, key := s.shown(n.Path)
		if old, known := s.entries[n.Path]; known {
			key = old.Key // numbers can be given out twice, names must not change
		} else if names[key] {
			key += " of " + grant
		}
		names[key] = true
		owner := s.owners[n.Stat.EphemeralOwner]
		entries[n.Path] = trace.KeyChange{Key: key, Value: cmp.Or(grant, owner), Session: owner}
		lock := lockOf(n.Path)
		if before, known := czxid[lock]; !known || n.Stat.Czxid < before {
			czxid[lock] = n.Stat.Czxid
			first[lock] = trace.Truth{Lock: lock, Owner: owner, Grant: grant}
		}
	}
	return entries, first
}

// shown takes the path of a node in a queue apart: the grant that it belongs to, if
// its name tells, and the path without it, which is what a learner should see.
func (s *Store) shown(p string) (grant, key string) {
	name := path.Base(p)
	if rest, ok := strings.CutPrefix(name, "_c_"); ok {
		grant, name, _ = strings.Cut(rest, "-")
	}
	return grant, strings.TrimPrefix(path.Join(path.Dir(p), name), s.cfg.Base+"/")
}

// judge adds to e who owns each lock, if that changed.
func (s *Store) judge(e *trace.Event) {
	for _, lock := range slices.Sorted(maps.Keys(s.truths)) {
		if _, taken := s.first[lock]; !taken && s.truths[lock].Owner != "" {
			s.tell(e, trace.Truth{Lock: lock})
		}
	}
	for _, lock := range slices.Sorted(maps.Keys(s.first)) {
		s.tell(e, s.first[lock])
	}
}

func (s *Store) tell(e *trace.Event, t trace.Truth) {
	if s.truths[t.Lock] != t {
		s.truths[t.Lock] = t
		e.Truths = append(e.Truths, t)
	}
}

// lockOf is the key of the lock in whose queue a node stands.
func lockOf(p string) string {
	dir := path.Base(path.Dir(p))
	if key, err := url.PathUnescape(dir); err == nil {
		return key
	}
	return dir
}

// flush sends what the state machine has told to others meanwhile.
func (s *Store) flush() {
	pushes := s.pushes
	s.pushes = nil
	for _, p := range pushes {
		if p.hangUp {
			p.to.link.Break()
			continue
		}
		p.to.push(p.event)
	}
}
