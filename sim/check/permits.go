package check

import (
	"fmt"
	"strings"
	"time"

	"github.com/lockstep-sim/lockstep/sim/trace"
)

// atMostPermits counts the holders of a semaphore.
type atMostPermits struct {
	base
	lock    string
	permits int
	last    int
}

func newAtMostPermits(s Setup) Invariant {
	return &atMostPermits{base: base{"at-most-permits"}, lock: s.Lock, permits: s.Permits}
}

func (a *atMostPermits) Check(w *trace.World, e *trace.Event) string {
	if len(e.Beliefs) == 0 {
		return ""
	}
	who := w.Believers(a.lock)
	more := len(who) > a.last
	a.last = len(who)
	if len(who) <= a.permits || !more {
		return ""
	}
	return fmt.Sprintf("%s believe that they hold a permit of %d", strings.Join(who, " and "), a.permits)
}

// noLostPermit watches for clients that wait although fewer than all permits are
// held, for longer than the bound.
type noLostPermit struct {
	base
	grace
	lock    string
	permits int
}

func newNoLostPermit(s Setup) Invariant {
	return &noLostPermit{base: base{"no-lost-permit"}, grace: grace{bound: s.Bound}, lock: s.Lock, permits: s.Permits}
}

func (n *noLostPermit) Check(w *trace.World, e *trace.Event) string {
	n.keep(n.anybodyWaits(w) && len(w.Believers(n.lock)) < n.permits, e.At)
	return n.Overdue(w, e.At)
}

func (n *noLostPermit) anybodyWaits(w *trace.World) bool {
	for i := range w.Actors {
		if a := &w.Actors[i]; a.Asks == n.lock && !a.Gone() {
			return true
		}
	}
	return false
}

func (n *noLostPermit) Bound() time.Duration { return n.bound }

func (n *noLostPermit) Overdue(w *trace.World, now int64) string {
	lasted, report := n.overdue(now)
	if !report {
		return ""
	}
	return fmt.Sprintf("%d of %d permits of %s have been held for %s, and somebody waits for one",
		len(w.Believers(n.lock)), n.permits, n.lock, trace.Instant(lasted))
}
