package state

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/lockstep-sim/lockstep/impl/clock"
)

// ErrAhead is returned to a client that has seen a later transaction than the
// server has. It has to look for another server.
var ErrAhead = errors.New("zookeeper: the client has seen a later zxid than the server")

// Link is a connection of a client, as the machine sees it. The methods are
// called with the machine's lock held: they must neither block nor call it.
type Link interface {
	// Event tells the client that a watch fired. It has to reach the client
	// before any answer that the machine gives later.
	Event(Event)
	// HangUp says that the session is over or goes on over another connection.
	HangUp()
}

// ConnectRequest opens a session or, with Session set, goes on with one.
type ConnectRequest struct {
	// LastZxid is the latest zxid that the client has seen, 0 for none.
	LastZxid int64
	// Timeout is what the client would like; it is raised or lowered to the
	// bounds of the server.
	Timeout  time.Duration
	Session  int64
	Password []byte
}

// ConnectResponse tells the client its session. Session 0 means that the one
// asked for has expired, or that the password was wrong.
type ConnectResponse struct {
	Session  int64
	Timeout  time.Duration
	Password []byte
}

// session is one session, connected or not.
type session struct {
	id         int64
	timeout    time.Duration
	deadline   time.Time
	timer      clock.Timer
	link       Link // nil while disconnected
	identities []string
	ephemerals map[string]struct{}
	watching   map[watchKey]struct{}
}

// Connect opens or resumes a session over link. A session that was connected
// otherwise is cut off there.
func (m *Machine) Connect(r ConnectRequest, link Link) (ConnectResponse, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if r.LastZxid > m.zxid {
		return ConnectResponse{}, fmt.Errorf("%w: %#x, here %#x", ErrAhead, r.LastZxid, m.zxid)
	}
	s := m.sessionFor(r)
	if s == nil {
		return ConnectResponse{Password: make([]byte, passwordLen)}, nil
	}
	if old := s.link; old != nil {
		m.detach(s)
		old.HangUp()
	}
	s.link = link
	s.timeout = min(max(r.Timeout, m.opts.MinTimeout), m.opts.MaxTimeout)
	m.touch(s)
	return ConnectResponse{Session: s.id, Timeout: s.timeout, Password: m.password(s.id)}, nil
}

func (m *Machine) sessionFor(r ConnectRequest) *session {
	if r.Session == 0 {
		return m.newSession()
	}
	if !slices.Equal(r.Password, m.password(r.Session)) {
		return nil
	}
	return m.sessions[r.Session]
}

// newSession is a transaction of its own, as in the server.
func (m *Machine) newSession() *session {
	m.nextZxid()
	m.lastSession++
	s := &session{
		id:         m.lastSession,
		ephemerals: make(map[string]struct{}),
		watching:   make(map[watchKey]struct{}),
	}
	m.sessions[s.id] = s
	return s
}

// Disconnect says that link is gone. The session lives on until it expires.
func (m *Machine) Disconnect(id int64, link Link) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if s := m.sessions[id]; s != nil && s.link == link {
		m.detach(s)
	}
}

func (m *Machine) detach(s *session) {
	m.unwatchAll(s)
	s.link, s.identities = nil, nil
}

// touch gives s its whole timeout from now. The timer is left alone: when it
// comes too early, it sets itself again.
func (m *Machine) touch(s *session) {
	s.deadline = m.expiry(m.clk.Now().Add(s.timeout))
	if s.timer == nil && !m.suspended {
		m.arm(s)
	}
}

// expiry is when a session ends that may end at t: the server looks at its
// sessions once a tick.
func (m *Machine) expiry(t time.Time) time.Time {
	if m.opts.ExactExpiry {
		return t
	}
	ticks := t.Sub(m.started)/m.opts.Tick + 1
	return m.started.Add(ticks * m.opts.Tick)
}

func (m *Machine) arm(s *session) {
	s.timer = m.clk.AfterFunc(s.deadline.Sub(m.clk.Now()), func() { m.expire(s) })
}

func (m *Machine) expire(s *session) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.suspended || m.sessions[s.id] != s {
		return
	}
	if m.clk.Now().Before(s.deadline) {
		m.arm(s)
		return
	}
	m.cutAndEnd(s)
}

// cutAndEnd ends a session that did not ask for it.
func (m *Machine) cutAndEnd(s *session) {
	link := s.link
	m.end(s)
	if link != nil {
		link.HangUp()
	}
}

// end closes a session: its ephemeral nodes go in one transaction.
func (m *Machine) end(s *session) (zxid int64) {
	m.detach(s)
	t := &txn{m: m, who: s, zxid: m.nextZxid(), now: m.clk.Now()}
	for _, path := range slices.Sorted(maps.Keys(s.ephemerals)) {
		parent, name, _ := split(path)
		t.unlink(parent, name, path, m.nodes[path])
	}
	delete(m.sessions, s.id)
	if s.timer != nil {
		s.timer.Stop()
	}
	m.fire(t.events)
	return t.zxid
}

const passwordLen = 16

// password proves that a client owns a session. It is computed instead of kept,
// as in the server.
func (m *Machine) password(id int64) []byte {
	var in [16]byte
	binary.BigEndian.PutUint64(in[:8], m.opts.Secret)
	binary.BigEndian.PutUint64(in[8:], uint64(id))
	sum := sha256.Sum256(in[:])
	return sum[:passwordLen]
}
