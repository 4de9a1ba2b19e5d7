package model

import (
	"slices"
	"time"
)

// ResyncEvery is how often a member serves the watches that began in the past
// (syncWatchersLoop in etcd's server/storage/mvcc/watchable_store.go). Those that
// began with the present are told of a change at once.
const ResyncEvery = 100 * time.Millisecond

// Deletion is that of a key, at the revision of its transaction.
type Deletion struct {
	Key      string
	Revision int64
}

// Watch is a watch for the deletion of one key.
type Watch struct {
	key    string
	from   int64
	behind bool // it began in the past and has not been served yet
}

// Notice is what a watch has to be told.
type Notice struct {
	Watch *Watch
	Deletion
}

// Watch opens a watch for the deletions of key at revision from and later; 0
// means from now on.
func (s *Store) Watch(key string, from int64) *Watch {
	w := &Watch{key: key, from: from, behind: from != 0 && from <= s.revision}
	s.watches = append(s.watches, w)
	return w
}

// Cancel ends a watch.
func (s *Store) Cancel(w *Watch) {
	s.watches = slices.DeleteFunc(s.watches, func(o *Watch) bool { return o == w })
	s.notices = slices.DeleteFunc(s.notices, func(n Notice) bool { return n.Watch == w })
}

// Resync serves the watches that began in the past: they get what they have
// missed. The member calls it every [ResyncEvery].
func (s *Store) Resync() {
	for _, w := range s.watches {
		if !w.behind {
			continue
		}
		w.behind = false
		for _, d := range s.deletions {
			s.tell(w, d)
		}
	}
}

// Behind reports whether a watch waits for [Store.Resync].
func (s *Store) Behind() bool {
	return slices.ContainsFunc(s.watches, func(w *Watch) bool { return w.behind })
}

// Notices takes what the watches have to be told since the last call.
func (s *Store) Notices() []Notice {
	out := s.notices
	s.notices = nil
	return out
}

func (s *Store) tell(w *Watch, d Deletion) {
	if w.key == d.Key && d.Revision >= w.from {
		s.notices = append(s.notices, Notice{w, d})
	}
}
