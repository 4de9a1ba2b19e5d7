package state

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"time"
)

// Node is a node of the tree as an onlooker sees it.
type Node struct {
	Path string
	Data []byte
	Stat Stat
}

// Tree lists all nodes by path.
func (m *Machine) Tree() []Node {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := make([]Node, 0, len(m.nodes))
	for _, path := range slices.Sorted(maps.Keys(m.nodes)) {
		n := m.nodes[path]
		out = append(out, Node{Path: path, Data: bytes.Clone(n.data), Stat: n.fullStat()})
	}
	return out
}

// Session is a session as an onlooker sees it.
type Session struct {
	ID        int64
	Timeout   time.Duration
	Deadline  time.Time // when it expires unless the client is heard of
	Connected bool
	Watches   int
}

// Sessions lists all sessions by id.
func (m *Machine) Sessions() []Session {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := make([]Session, 0, len(m.sessions))
	for _, s := range m.sessions {
		out = append(out, Session{
			ID: s.id, Timeout: s.timeout, Deadline: s.deadline,
			Connected: s.link != nil, Watches: len(s.watching),
		})
	}
	slices.SortFunc(out, func(a, b Session) int { return cmp.Compare(a.ID, b.ID) })
	return out
}

// SetCounter sets how many children were ever created below path, which is the
// sequence number of the next sequential one. It lets a test come near the end
// of the range, which takes two thousand million creates otherwise.
func (m *Machine) SetCounter(path string, created int32) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := m.nodes[path]
	if n == nil {
		return NoNode
	}
	n.creates = created
	return nil
}

// ExpireSession ends a session at once, as if its client had been silent for
// too long. It reports false when there is no such session.
func (m *Machine) ExpireSession(id int64) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.sessions[id]
	if s == nil {
		return false
	}
	m.cutAndEnd(s)
	return true
}

// Zxid is the last transaction: as long as it stays the same, so does the tree.
func (m *Machine) Zxid() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.zxid
}
