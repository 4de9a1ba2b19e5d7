package redisstore

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/lockstep-sim/lockstep/sim/kernel"
	"github.com/lockstep-sim/lockstep/sim/network"
	"github.com/lockstep-sim/lockstep/sim/record"
	"github.com/lockstep-sim/lockstep/sim/trace"
)

// GroupConfig says how a primary and its replicas work together.
type GroupConfig struct {
	// Lag is how much later than the primary a replica carries out a write.
	Lag time.Duration
	// MinReplicas and MaxLag are Redis' min-replicas-to-write and
	// min-replicas-max-lag: the primary refuses writes unless so many replicas
	// have been heard of within MaxLag. With MinReplicas 0 it never does.
	MinReplicas int
	MaxLag      time.Duration
	// Sentinels names those that watch the primary.
	Sentinels []string
	// DownAfter is how long a sentinel waits for an answer before it takes the
	// primary for down, Redis' down-after-milliseconds.
	DownAfter time.Duration
}

// heartbeat is how often a replica reports to its primary.
const heartbeat = time.Second

// Group is a primary with replicas that copy it asynchronously, and the
// sentinels that choose another primary.
//
// It is a model of what decides over locks, not of the replication protocol: a
// replica carries out a write after the lag, unless by then the primary is down
// or cut off from it, in which case the write has never left the primary. A
// replica that has missed something copies everything at the next heartbeat.
// What replicas and sentinels say to one another obeys partitions and appears in
// the timeline by its effects, not by its messages.
type Group struct {
	cfg       GroupConfig
	k         *kernel.Kernel
	net       *network.Network
	rec       *record.Recorder
	judge     *Judge
	members   []*member
	sentinels []*Sentinel
}

// member is a node of a group.
type member struct {
	*Node
	group   *Group
	follows *member // nil for a primary

	written int  // by a primary: how many writes it has carried out
	copied  int  // by a replica: how many of its primary's
	acked   int  // how many its primary knows of
	behind  bool // it has missed something

	heard map[*member]kernel.Time // by a primary: when it last heard of each replica
	waits []*waiting
}

// NewGroup makes the first of the nodes the primary of the others.
func NewGroup(nodes []*Node, judge *Judge, cfg GroupConfig) (*Group, error) {
	if len(nodes) < 2 {
		return nil, errors.New("a group needs a primary and a replica at least")
	}
	p := nodes[0]
	g := &Group{cfg: cfg, k: p.net.Kernel(), net: p.net, rec: p.rec, judge: judge}
	for _, n := range nodes {
		m := &member{Node: n, group: g, heard: map[*member]kernel.Time{}}
		if len(g.members) > 0 {
			m.follows = g.members[0]
			m.follows.heard[m] = g.k.Now()
		}
		n.member = m
		g.members = append(g.members, m)
	}
	judge.Trust(p)
	for _, name := range cfg.Sentinels {
		g.sentinels = append(g.sentinels, newSentinel(g, name))
	}
	g.every(heartbeat, g.beat)
	return g, nil
}

// every calls f again and again.
func (g *Group) every(d time.Duration, f func()) {
	g.k.After(d, func() {
		f()
		g.every(d, f)
	})
}

// connected reports whether both are up and messages pass in both directions.
func (g *Group) connected(a, b *member) bool {
	return !a.down && !b.down && !g.net.Cut(a.Name(), b.Name()) && !g.net.Cut(b.Name(), a.Name())
}

// beat lets the replicas report, and copy what they have missed.
func (g *Group) beat() {
	for _, r := range g.members {
		if r.follows == nil || !g.connected(r, r.follows) {
			continue
		}
		r.follows.heard[r] = g.k.Now()
		if r.behind {
			r.copyAll()
		}
	}
}

// replicas are the members that follow m.
func (m *member) replicas() []*member {
	return slices.DeleteFunc(slices.Clone(m.group.members), func(r *member) bool { return r.follows != m })
}

// wrote passes on what a command has changed.
func (m *member) wrote(changes []trace.KeyChange) {
	m.written++
	write, effect := m.written, data{}
	for _, c := range changes {
		effect[c.Key] = m.entry(c.Key)
	}
	for _, r := range m.replicas() {
		m.group.k.After(m.group.cfg.Lag, func() { r.copy(m, write, effect) })
	}
}

// copy carries out a write of the primary p, unless it has got lost.
func (r *member) copy(p *member, write int, effect data) {
	if r.follows != p || r.behind || r.down {
		return
	}
	if !r.group.connected(p, r) {
		r.behind = true
		return
	}
	r.mini.SetTime(r.proc.Now())
	r.apply(effect)
	r.note("copies " + p.Name())
	r.copied = write
	r.acknowledge()
}

// copyAll makes the replica equal to its primary.
func (r *member) copyAll() {
	p := r.follows
	r.behind = false
	r.mini.SetTime(r.proc.Now())
	r.load(p.data())
	r.note("copies everything from " + p.Name())
	r.copied = p.written
	r.acknowledge()
}

// acknowledge tells the primary how far the replica has come.
func (r *member) acknowledge() {
	p, copied := r.follows, r.copied
	r.group.k.After(r.net.Latency(), func() {
		if r.follows == p && r.group.connected(p, r) {
			r.acked, p.heard[r] = copied, r.group.k.Now()
			p.answerWaits()
		}
	})
}

// note records a change that no client asked for. One that changes nothing is
// not worth a line.
func (m *member) note(text string) {
	e := trace.Event{Actor: m.Name(), Kind: trace.KindNote, Text: text}
	m.changes(&e)
	if len(e.Changes) > 0 {
		m.rec.Add(e)
	}
	m.append()
}

// resync makes those that copied m before it was restarted copy it anew, and m
// itself its primary.
func (m *member) resync() {
	m.behind = m.follows != nil
	for _, r := range m.replicas() {
		r.behind = true
	}
}

// promote makes a replica a primary.
func (m *member) promote() {
	m.follows = nil
	m.written = m.copied
	m.group.judge.Trust(m.Node)
	e := trace.Event{Actor: m.Name(), Kind: trace.KindNote, Text: "becomes the primary"}
	m.changes(&e)
	m.rec.Add(e)
}

// follow makes m a replica of p. What it has and p has not is thrown away. Its
// clients are disconnected, as Redis does, so that they look for the primary.
func (m *member) follow(p *member) {
	was := m.follows
	m.follows, m.waits = p, nil
	p.heard[m] = m.group.k.Now()
	if was == nil {
		m.rec.Add(trace.Event{Actor: m.Name(), Kind: trace.KindNote, Text: fmt.Sprintf("becomes a replica of %s", p.Name())})
		m.net.BreakAll(m.Name())
	}
	m.copyAll()
}

// furthest is the one of the members that has copied most, the first of equals.
func furthest(members []*member) *member {
	return slices.MaxFunc(members, func(a, b *member) int { return cmp.Compare(a.copied, b.copied) })
}
