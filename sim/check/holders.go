package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lockstep-sim/lockstep/sim/trace"
)

// mutualExclusion compares beliefs: what a client's code would answer to "do
// you hold it?". What the store says does not matter here, because clients act
// on what they believe.
type mutualExclusion struct {
	base
	lock string
	last []string
}

func newMutualExclusion(s Setup) Invariant {
	return &mutualExclusion{base: base{"mutual-exclusion"}, lock: s.Lock}
}

func (m *mutualExclusion) Check(w *trace.World, e *trace.Event) string {
	if len(e.Beliefs) == 0 {
		return ""
	}
	who := w.Believers(m.lock)
	joined := slices.ContainsFunc(who, func(a string) bool { return !slices.Contains(m.last, a) })
	m.last = who
	if len(who) < 2 || !joined || allShare(w, who, m.lock) {
		return ""
	}
	return fmt.Sprintf("%s believe that they hold %s", strings.Join(who, " and "), m.lock)
}

// allShare reports whether all of them have a grant that others may have too.
func allShare(w *trace.World, who []string, lock string) bool {
	return !slices.ContainsFunc(who, func(name string) bool {
		a, _ := w.Actor(name)
		b, _ := a.Belief(lock)
		return !b.Shared
	})
}

// oneAtWork compares critical sections: from the grant to the call of release,
// whether or not the lease has lasted. A client that heeds its lease leaves the
// section when it loses the lock.
type oneAtWork struct {
	base
	inside []string
}

func newOneAtWork(Setup) Invariant { return &oneAtWork{base: base{"one-at-work"}} }

func (o *oneAtWork) Check(w *trace.World, e *trace.Event) string {
	working := e.Doing != nil && strings.HasPrefix(*e.Doing, "work")
	leaving := (e.Doing != nil && !working) || gone(e.State)
	i := slices.Index(o.inside, e.Actor)
	switch {
	case working && i < 0:
		o.inside = append(o.inside, e.Actor)
		if len(o.inside) > 1 {
			return fmt.Sprintf("%s are at work at the same time", strings.Join(o.inside, " and "))
		}
	case leaving && i >= 0:
		o.inside = slices.Delete(o.inside, i, i+1)
	}
	return ""
}

// tokensGrow watches the fencing tokens of grants.
type tokensGrow struct {
	base
	largest uint64
	grant   string
}

func newTokensGrow(Setup) Invariant { return &tokensGrow{base: base{"tokens-grow"}} }

func (t *tokensGrow) Check(_ *trace.World, e *trace.Event) string {
	for _, b := range e.Beliefs {
		if !b.Holds || b.Token == 0 || b.Owner == t.grant {
			continue
		}
		if b.Token <= t.largest {
			return fmt.Sprintf("%s was granted token %d after token %d", b.Actor, b.Token, t.largest)
		}
		t.largest, t.grant = b.Token, b.Owner
	}
	return ""
}

// gone reports whether an actor in this state does nothing more of its own.
func gone(s trace.ActorState) bool {
	return s == trace.StateCrashed || s == trace.StateExited || s == trace.StateDone
}
