package check

import (
	"fmt"
	"strings"
	"time"

	"github.com/lockstep-sim/lockstep/sim/trace"
)

// noForgottenWaiter watches for clients that wait for a lock which is free: the
// event that should have woken them has passed them by.
type noForgottenWaiter struct {
	base
	lock     string
	bound    time.Duration
	since    int64    // when the lock was free first while somebody waited
	waiting  []string // who did then
	reported bool
}

func newNoForgottenWaiter(s Setup) Invariant {
	return &noForgottenWaiter{base: base{"no-forgotten-waiter"}, lock: s.Lock, bound: s.Bound}
}

func (n *noForgottenWaiter) Check(w *trace.World, e *trace.Event) string {
	who := n.waiters(w)
	if w.Truth[n.lock].Owner != "" || len(who) == 0 {
		n.waiting, n.reported = nil, false
		return ""
	}
	if n.waiting == nil {
		n.since = e.At
	}
	n.waiting = who
	if e.At-n.since < int64(n.bound) {
		return ""
	}
	return n.report(e.At)
}

// Finish finds those who wait when nothing happens any more.
func (n *noForgottenWaiter) Finish(w *trace.World, orderly bool) string {
	if !orderly || n.waiting == nil {
		return ""
	}
	return n.report(w.At)
}

func (n *noForgottenWaiter) report(now int64) string {
	if n.reported {
		return ""
	}
	n.reported = true
	return fmt.Sprintf("%s has been free for %s, and nobody has told %s",
		n.lock, trace.Instant(now-n.since), strings.Join(n.waiting, " and "))
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
