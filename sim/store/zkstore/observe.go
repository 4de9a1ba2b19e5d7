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

// settle records what happened in the store without a request.
func (s *Store) settle() {
	e := trace.Event{Kind: trace.KindExpire}
	if n := s.majority(); n != nil {
		e.Actor = n.Name()
	}
	s.changes(&e)
	if len(e.Changes) > 0 || len(s.expired) > 0 {
		e.Text = "the session of " + strings.Join(s.gone(&e), ", ") + " expires"
		s.rec.Add(e)
	}
	s.flush()
}

// gone names the clients whose sessions have just ended.
func (s *Store) gone(e *trace.Event) []string {
	names := s.expired
	s.expired = nil
	for _, c := range e.Changes {
		if c.Deleted && !slices.Contains(names, c.Session) {
			names = append(names, c.Session)
		}
	}
	for _, n := range names {
		e.Sessions = append(e.Sessions, trace.SessionChange{Store: e.Actor, Name: n, Actor: n, Gone: true})
	}
	return names
}

// changes adds to e which ephemeral nodes have come and gone at each server that
// is part of the majority.
func (s *Store) changes(e *trace.Event) {
	now := s.ephemerals()
	for _, p := range slices.Sorted(maps.Keys(now)) {
		if old, known := s.entries[p]; !known || old != now[p] {
			s.everywhere(e, now[p])
		}
	}
	for _, p := range slices.Sorted(maps.Keys(s.entries)) {
		if _, exists := now[p]; !exists {
			c := s.entries[p]
			c.Deleted, c.Value = true, ""
			s.everywhere(e, c)
		}
	}
	s.entries = now
	s.judge(e)
}

// everywhere adds a change at each server of the majority. A minority keeps what
// it had: it does not know.
func (s *Store) everywhere(e *trace.Event, c trace.KeyChange) {
	for _, n := range s.nodes {
		if n.serving() {
			c.Store = n.Name()
			e.Changes = append(e.Changes, c)
		}
	}
}

// ephemerals describes the nodes that live with a session, by path.
func (s *Store) ephemerals() map[string]trace.KeyChange {
	out, names := map[string]trace.KeyChange{}, map[string]bool{}
	for _, c := range s.entries {
		names[c.Key] = true
	}
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
		out[n.Path] = trace.KeyChange{Key: key, Value: grant, Session: s.clientOf(n.Stat.EphemeralOwner)}
	}
	return out
}

// shown takes the path of a node in a queue apart: the grant that it belongs to,
// and the path without it, which is what a learner should see.
func (s *Store) shown(p string) (grant, key string) {
	name := path.Base(p)
	if rest, ok := strings.CutPrefix(name, "_c_"); ok {
		grant, name, _ = strings.Cut(rest, "-")
	}
	return grant, strings.TrimPrefix(path.Join(path.Dir(p), name), s.cfg.Base+"/")
}

func (s *Store) clientOf(session int64) string {
	for _, c := range s.clients {
		if c.session.ID == session || slices.Contains(c.former, session) {
			return c.proc.Name()
		}
	}
	return ""
}

// judge adds to e who owns each lock, if that changed: the client whose node was
// made first.
func (s *Store) judge(e *trace.Event) {
	first := map[string]state.Node{}
	for _, n := range s.machine.Tree() {
		if n.Stat.EphemeralOwner == 0 {
			continue
		}
		lock := lockOf(n.Path)
		if f, known := first[lock]; !known || cmp.Less(n.Stat.Czxid, f.Stat.Czxid) {
			first[lock] = n
		}
	}
	for _, lock := range slices.Sorted(maps.Keys(s.truths)) {
		if _, taken := first[lock]; !taken && s.truths[lock].Owner != "" {
			s.tell(e, trace.Truth{Lock: lock})
		}
	}
	for _, lock := range slices.Sorted(maps.Keys(first)) {
		n := first[lock]
		grant, _ := s.shown(n.Path)
		s.tell(e, trace.Truth{Lock: lock, Owner: s.clientOf(n.Stat.EphemeralOwner), Grant: grant})
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
