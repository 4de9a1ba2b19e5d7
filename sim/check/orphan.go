package check

import (
	"fmt"
	"time"

	"github.com/lockstep-sim/lockstep/sim/trace"
)

// noOrphan watches for locks that belong in the store to a client which lives and
// does not know of it, for longer than the bound. Nobody is going to release
// them.
type noOrphan struct {
	base
	grace
	lock  string
	grant string // the orphan, or empty
	owner string
}

func newNoOrphan(s Setup) Invariant {
	return &noOrphan{base: base{"no-orphan"}, grace: grace{bound: s.Bound}, lock: s.Lock}
}

func (n *noOrphan) Check(w *trace.World, e *trace.Event) string {
	t := w.Truth[n.lock]
	if !n.unknown(w, t) {
		t = trace.Truth{}
	}
	if t.Grant != n.grant || t.Owner != n.owner {
		n.grant, n.owner = t.Grant, t.Owner
		n.begin(e.At)
	}
	n.keep(n.owner != "", e.At)
	return n.Overdue(w, e.At)
}

// unknown reports whether the owner lives and does not believe to hold the lock.
func (n *noOrphan) unknown(w *trace.World, t trace.Truth) bool {
	a, ok := w.Actor(t.Owner)
	if !ok || a.State == trace.StateCrashed || a.State == trace.StateExited {
		return false
	}
	_, believes := a.Belief(n.lock)
	return !believes
}

func (n *noOrphan) Bound() time.Duration { return n.bound }

func (n *noOrphan) Overdue(_ *trace.World, now int64) string {
	lasted, report := n.overdue(now)
	if !report {
		return ""
	}
	return fmt.Sprintf("%s belongs to %s, which does not know of it, for %s", n.lock, n.owner, trace.Instant(lasted))
}
