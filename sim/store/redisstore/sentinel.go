package redisstore

import (
	"fmt"
	"slices"
	"time"

	"github.com/lockstep-sim/lockstep/sim/kernel"
	"github.com/lockstep-sim/lockstep/sim/trace"
)

// look is how often a sentinel looks at everything it watches. A real one pings
// every second, so that it can notice up to a second later.
const look = 100 * time.Millisecond

// Sentinel watches the primary of a group, as Redis Sentinel does: it takes the
// primary for down when nothing was heard of it for a time, asks the others,
// and, where a majority of all sentinels can be reached and thinks the same,
// promotes the replica that has copied most. It tells clients of the new primary
// and makes the old one a replica when that comes back.
//
// The election among sentinels is left out: the first that finds the others
// agreed leads.
type Sentinel struct {
	name  string
	group *Group
	knows *member     // the primary, as far as it knows
	epoch int         // how many failovers it knows of
	heard kernel.Time // when the primary answered last
	down  bool        // it takes the primary for down
}

func newSentinel(g *Group, name string) *Sentinel {
	s := &Sentinel{name: name, group: g, knows: g.members[0]}
	g.every(look, s.look)
	return s
}

// Name is the sentinel's lane in the timeline.
func (s *Sentinel) Name() string { return s.name }

// Sentinel is the one of that name, nil if there is none.
func (g *Group) Sentinel(name string) *Sentinel {
	i := slices.IndexFunc(g.sentinels, func(s *Sentinel) bool { return s.name == name })
	if i < 0 {
		return nil
	}
	return g.sentinels[i]
}

// passes reports whether messages pass between the sentinel and another actor.
func (s *Sentinel) passes(actor string) bool {
	return !s.group.net.Cut(s.name, actor) && !s.group.net.Cut(actor, s.name)
}

func (s *Sentinel) reaches(m *member) bool { return !m.down && s.passes(m.Name()) }

func (s *Sentinel) look() {
	s.listen()
	s.watch()
	if s.down {
		s.failOver()
	}
	s.arrange()
}

// listen takes over what another sentinel knows of a later failover.
func (s *Sentinel) listen() {
	for _, o := range s.group.sentinels {
		if s.passes(o.name) && o.epoch > s.epoch {
			s.adopt(o.knows, o.epoch)
		}
	}
}

// watch asks the primary whether it lives.
func (s *Sentinel) watch() {
	now := s.group.k.Now()
	if s.reaches(s.knows) {
		if s.down {
			s.note("hears of " + s.knows.Name() + " again")
		}
		s.heard, s.down = now, false
		return
	}
	if !s.down && now-s.heard >= kernel.Time(s.group.cfg.DownAfter) {
		s.down = true
		s.note("takes " + s.knows.Name() + " for down")
	}
}

// failOver promotes a replica if enough sentinels agree.
func (s *Sentinel) failOver() {
	agree := 0
	for _, o := range s.group.sentinels {
		if o == s || s.passes(o.name) && o.down && o.knows == s.knows {
			agree++
		}
	}
	candidates := slices.DeleteFunc(s.knows.replicas(), func(r *member) bool { return !s.reaches(r) })
	if agree <= len(s.group.sentinels)/2 || len(candidates) == 0 {
		return
	}
	next := furthest(candidates)
	s.note(fmt.Sprintf("promotes %s, %d of %d agree", next.Name(), agree, len(s.group.sentinels)))
	next.promote()
	s.adopt(next, s.epoch+1)
}

// adopt takes a new primary for the one in office and tells the clients of the
// old one, which close their connections to it.
func (s *Sentinel) adopt(m *member, epoch int) {
	old := s.knows
	s.knows, s.epoch, s.heard, s.down = m, epoch, s.group.k.Now(), false
	for _, c := range slices.Clone(old.conns) {
		if s.passes(c.link.Client().Name()) {
			c.link.Break()
		}
	}
}

// arrange makes every server that it can reach a replica of the primary.
func (s *Sentinel) arrange() {
	if s.epoch == 0 || !s.reaches(s.knows) {
		return
	}
	for _, m := range s.group.members {
		if m != s.knows && m.follows != s.knows && s.reaches(m) && s.group.connected(m, s.knows) {
			m.follow(s.knows)
		}
	}
}

func (s *Sentinel) note(text string) {
	s.group.rec.Add(trace.Event{Actor: s.name, Kind: trace.KindNote, Text: text})
}
