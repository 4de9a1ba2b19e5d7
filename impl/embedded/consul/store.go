package consul

import (
	"errors"
	"maps"
	"sync"
	"time"

	"github.com/hashicorp/consul/api"

	"github.com/lockstep-sim/lockstep/impl/clock"
)

// ErrClosed is the error of everything that is asked of a closed Store.
var ErrClosed = errors.New("embedded consul: server closed")

// firstIndex is the index of a fresh server: a real cluster has written its own
// configuration to the log before any client comes.
const firstIndex = 1

// Store is the state of one Consul server. It is safe for concurrent use, and
// blocks only in reads that were given a [Query] with an index.
type Store struct {
	clk  clock.Clock
	opts Options

	mu        sync.Mutex
	index     uint64 // of the last entry of the log
	kv        map[string]*api.KVPair
	kvIndex   uint64 // of the last change to any key
	graves    graveyard
	sessions  map[string]*session
	sessIndex uint64 // of the last change to any session
	delays    map[string]time.Time
	watches   []*watch // the blocked reads
	epoch     int      // counts the restored snapshots
	closed    bool
}

// NewStore makes an empty server state. Close frees its timers.
func NewStore(opts Options) *Store {
	opts = opts.withDefaults()
	return &Store{
		clk: opts.Clock, opts: opts, index: firstIndex,
		kv:       make(map[string]*api.KVPair),
		graves:   newGraveyard(opts.Clock),
		sessions: make(map[string]*session),
		delays:   make(map[string]time.Time),
	}
}

// Close stops all timers and ends all blocked reads with [ErrClosed].
func (s *Store) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for _, sess := range s.sessions {
		sess.disarm()
	}
	s.wakeAll()
}

// Index is the index of the last entry of the log.
func (s *Store) Index() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.index
}

// LockDelay is how much longer the lock-delay of key lasts, or zero.
func (s *Store) LockDelay(key string) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.delayLeft(key)
}

func (s *Store) delayLeft(key string) time.Duration {
	until, ok := s.delays[key]
	if !ok {
		return 0
	}
	left := until.Sub(s.clk.Now())
	if left <= 0 {
		delete(s.delays, key)
		return 0
	}
	return left
}

// Snapshot is the state of a Store at one moment. It never changes.
type Snapshot struct {
	index     uint64
	kv        map[string]*api.KVPair
	kvIndex   uint64
	sessions  []api.SessionEntry
	sessIndex uint64
}

// Snapshot records the keys, the sessions and the index. As with the real
// server, lock-delays and the running time of the TTLs are not part of it.
func (s *Store) Snapshot() Snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	return Snapshot{
		index: s.index, kv: maps.Clone(s.kv), kvIndex: s.kvIndex,
		sessions: s.sessionList(), sessIndex: s.sessIndex,
	}
}

// Restore replaces the whole state by that of snap, as when a cluster is built
// anew from a backup. The log goes on from the index of the snapshot, so every
// index that a client has seen since is from the future. Every session gets its
// full time to live again. Blocked reads return at once.
func (s *Store) Restore(snap Snapshot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, sess := range s.sessions {
		sess.disarm()
	}
	s.index, s.kvIndex, s.sessIndex = snap.index, snap.kvIndex, snap.sessIndex
	s.kv = maps.Clone(snap.kv)
	s.graves = newGraveyard(s.clk)
	s.delays = make(map[string]time.Time)
	s.sessions = make(map[string]*session)
	for _, entry := range snap.sessions {
		s.addSession(entry)
	}
	s.epoch++
	s.wakeAll()
}
