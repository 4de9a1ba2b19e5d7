package check

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/lockstep-sim/lockstep/sim/trace"
)

// noForgottenWaiter watches for clients that wait for a lock which is free: the
// event that should have woken them has passed them by.
type noForgottenWaiter struct {
	base
	lock     string
	first    bool // steps that name no lock mean this one
	bound    time.Duration
	since    int64    // when the lock was free first while somebody waited
	waiting  []string // who did then
	reported bool
}

func newNoForgottenWaiter(s Setup) Invariant {
	return &noForgottenWaiter{
		base: base{"no-forgotten-waiter"}, lock: s.Lock, first: !slices.Contains(s.More, s.Lock), bound: s.Bound,
	}
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
		if key := waitsFor(w, a.Name, ""); a.State != trace.StatePaused && (key == n.lock || key == unnamed && n.first) {
			out = append(out, a.Name)
		}
	}
	return out
}

// unnamed is the lock of a step that names none, where nobody says which it is.
const unnamed = "?"

// waitsFor is the lock that a client is in the middle of asking for, or empty.
// first is the one that steps mean that name none.
func waitsFor(w *trace.World, client, first string) string {
	a, ok := w.Actor(client)
	if !ok || a.Role != trace.RoleClient || !strings.HasPrefix(a.Doing, "acquire") || gone(a.State) {
		return ""
	}
	if _, on, named := strings.Cut(a.Doing, "on="); named {
		key, _, _ := strings.Cut(on, " ")
		return key
	}
	if first == "" {
		return unnamed
	}
	return first
}
