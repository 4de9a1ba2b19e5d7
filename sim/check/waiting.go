package check

import (
	"fmt"
	"strings"

	"github.com/lockstep-sim/lockstep/sim/trace"
)

// noForgottenWaiter watches for clients that wait for a lock which is free: the
// event that should have woken them has passed them by.
type noForgottenWaiter struct {
	base
	grace   // since the lock was free first while somebody waited
	lock    string
	waiting []string // who does
}

func newNoForgottenWaiter(s Setup) Invariant {
	return &noForgottenWaiter{base: base{"no-forgotten-waiter"}, grace: grace{bound: s.Bound}, lock: s.Lock}
}

func (n *noForgottenWaiter) Check(w *trace.World, e *trace.Event) string {
	n.waiting = n.waiters(w)
	n.keep(w.Truth[n.lock].Owner == "" && len(n.waiting) > 0, e.At)
	return n.report(n.overdue(e.At))
}

// Finish finds those who wait when nothing happens any more.
func (n *noForgottenWaiter) Finish(w *trace.World, orderly bool) string {
	if !orderly {
		return ""
	}
	n.bound = 0
	return n.report(n.overdue(w.At))
}

func (n *noForgottenWaiter) report(lasted int64, report bool) string {
	if !report {
		return ""
	}
	return fmt.Sprintf("%s has been free for %s, and nobody has told %s",
		n.lock, trace.Instant(lasted), strings.Join(n.waiting, " and "))
}

// waiters are the clients that are in the middle of asking for the lock.
func (n *noForgottenWaiter) waiters(w *trace.World) []string {
	var out []string
	for i := range w.Actors {
		a := &w.Actors[i]
		if a.State != trace.StatePaused && !a.Gone() && a.Asks == n.lock {
			out = append(out, a.Name)
		}
	}
	return out
}

// waitsFor is the lock that a client asks for and waits for, or empty.
func waitsFor(w *trace.World, client string) string {
	a, ok := w.Actor(client)
	if !ok || a.Gone() {
		return ""
	}
	return a.Asks
}
