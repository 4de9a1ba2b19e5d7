package state

import (
	"crypto/rand"
	"encoding/binary"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/lockstep-sim/lockstep/impl/clock"
)

// Wrap is what becomes of sequence numbers after 2147483647.
type Wrap int

const (
	// WrapSticks is what ZooKeeper 3.8 was seen to do, its programmer's guide
	// notwithstanding: the counter stays at 2147483647, and every later node of
	// the parent gets that number. (Requests that are under way together get
	// negative numbers there, which a machine that finishes one request before
	// the next does not imitate.)
	WrapSticks Wrap = iota
	// WrapSigned is what the guide says and older servers do: the counter goes
	// on at -2147483648.
	WrapSigned
)

// Options are the settings of a [Machine]. The zero value has the defaults of
// the real server.
type Options struct {
	// Clock is the source of time. Nil means the real one.
	Clock clock.Clock
	// Tick is the server's unit of time: sessions expire at multiples of it.
	// Zero means 2 s.
	Tick time.Duration
	// MinTimeout and MaxTimeout bound the session timeout. Zero means 2 and 20
	// ticks, which with the default tick is 4 s and 40 s.
	MinTimeout, MaxTimeout time.Duration
	// ExactExpiry ends a session exactly one timeout after its last request
	// instead of at the next tick after that.
	ExactExpiry bool
	// Wrap is what the sequence numbers do at the end of their range.
	Wrap Wrap
	// Secret is what session passwords are made from. Zero means a random one.
	Secret uint64
}

func (o Options) withDefaults() Options {
	o.Clock = clock.Or(o.Clock)
	if o.Tick <= 0 {
		o.Tick = 2 * time.Second
	}
	if o.MinTimeout <= 0 {
		o.MinTimeout = 2 * o.Tick
	}
	if o.MaxTimeout <= 0 {
		o.MaxTimeout = 20 * o.Tick
	}
	if o.Secret == 0 {
		var b [8]byte
		_, _ = rand.Read(b[:]) // never fails
		o.Secret = binary.BigEndian.Uint64(b[:])
	}
	return o
}

// Machine is the state of one server. Its methods are safe for concurrent use;
// each is one step that the next one sees whole.
type Machine struct {
	opts    Options
	clk     clock.Clock
	started time.Time // what the ticks are counted from

	mu          sync.Mutex
	nodes       map[string]*node
	zxid        int64
	sessions    map[int64]*session
	lastSession int64
	watchers    map[watchKey][]*session
	suspended   bool
}

// New makes the state of a server that was never used: a root and the nodes
// below /zookeeper.
func New(opts Options) *Machine {
	opts = opts.withDefaults()
	m := &Machine{
		opts: opts, clk: opts.Clock, started: opts.Clock.Now(),
		nodes:    make(map[string]*node),
		sessions: make(map[int64]*session),
		watchers: make(map[watchKey][]*session),
		// As in the server: 1 for a standalone server, the time in the middle,
		// so that no session of an earlier server is taken for one of this.
		lastSession: 1<<56 | (opts.Clock.Now().UnixMilli()<<24>>8)&(1<<56-1),
	}
	m.nodes["/"] = newNode(nil, WorldACL(), 0, 0, time.UnixMilli(0))
	for _, path := range []string{"/zookeeper", "/zookeeper/config", "/zookeeper/quota"} {
		parent, name, _ := split(path)
		m.insert(m.nodes[parent], name, path, newNode(nil, WorldACL(), 0, 0, time.UnixMilli(0)))
	}
	return m
}

// Do carries out one request of the session id, which must be connected over
// link. It calls reply, once, before anything else can change: an Event that
// the machine sends later belongs behind the answer. The bounds on Link's
// methods hold for reply as well.
func (m *Machine) Do(id int64, link Link, r Request, reply func(Response)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	reply(m.do(id, link, r))
}

func (m *Machine) do(id int64, link Link, r Request) Response {
	s := m.sessions[id]
	switch {
	case s == nil:
		return Response{Op: r.Op, Zxid: m.zxid, Code: SessionExpired}
	case s.link != link:
		return Response{Op: r.Op, Zxid: m.zxid, Code: SessionMoved}
	}
	m.touch(s)
	switch r.Op {
	case OpCloseSession:
		return Response{Op: r.Op, Zxid: m.end(s)}
	case OpCreate, OpCreate2, OpDelete, OpSetData, OpSetACL, OpMulti:
		return m.write(s, r)
	}
	return m.read(s, r)
}

func (m *Machine) nextZxid() int64 {
	m.zxid++
	return m.zxid
}

// Suspend stops the clock of all sessions: a server that is not running expires
// none.
func (m *Machine) Suspend() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.suspended = true
	for _, s := range m.sessions {
		if s.timer != nil {
			s.timer.Stop()
			s.timer = nil
		}
	}
}

// Resume is the restart after Suspend: every session has its whole timeout to
// come back.
func (m *Machine) Resume() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.suspended = false
	for _, id := range slices.Sorted(maps.Keys(m.sessions)) {
		m.touch(m.sessions[id])
	}
}
