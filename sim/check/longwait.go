package check

import (
	"fmt"
	"strings"
	"time"

	"github.com/lockstep-sim/lockstep/sim/trace"
)

// noLongWait watches for clients that wait for one thing for longer than the
// bound: a lock that they have asked for, a row, or a connection.
type noLongWait struct {
	base
	bound time.Duration
	waits map[string]*wait // by client
}

// wait is one client's.
type wait struct {
	grace
	what string
}

func newNoLongWait(s Setup) Invariant {
	return &noLongWait{base{"no-long-wait"}, s.Bound, map[string]*wait{}}
}

func (n *noLongWait) Check(w *trace.World, e *trace.Event) string {
	if e.Asks == nil && e.State == "" && len(e.Sessions) == 0 {
		return ""
	}
	reason := n.Overdue(w, e.At) // before what e ends is forgotten
	now := waits(w)
	for client, what := range now {
		if old := n.waits[client]; old == nil || old.what != what {
			n.waits[client] = &wait{grace{bound: n.bound, since: e.At, lasts: true}, what}
		}
	}
	for client := range n.waits {
		if now[client] == "" {
			delete(n.waits, client)
		}
	}
	return reason
}

// waits is what each client waits for.
func waits(w *trace.World) map[string]string {
	out := map[string]string{}
	for _, name := range w.Waiters() {
		a, _ := w.Actor(name)
		out[name] = a.Asks
	}
	for _, s := range w.Sessions {
		if _, ok := out[s.Actor]; ok && s.Waits != "" {
			out[s.Actor] = s.Waits
		}
	}
	return out
}

func (n *noLongWait) Bound() time.Duration { return n.bound }

func (n *noLongWait) Overdue(w *trace.World, now int64) string {
	var reasons []string
	for i := 0; i < len(w.Actors); i++ {
		first, ok := n.waits[w.Actors[i].Name]
		if !ok {
			continue
		}
		lasted, report := first.overdue(now)
		if !report {
			continue
		}
		names := []string{w.Actors[i].Name}
		for _, a := range w.Actors[i+1:] { // who has waited as long for the same is told of together
			if other, ok := n.waits[a.Name]; ok && other.what == first.what && other.since == first.since {
				other.overdue(now)
				names = append(names, a.Name)
			}
		}
		reasons = append(reasons, fmt.Sprintf("waiting for %s for %s, the bound: %s", first.what, trace.Instant(lasted), several(names)))
	}
	return strings.Join(reasons, "; ")
}

// several is a list of names, of which only the first are said if it is long.
func several(names []string) string {
	if len(names) > 3 {
		return fmt.Sprintf("%s and %d others", strings.Join(names[:2], ", "), len(names)-2)
	}
	return strings.Join(names, " and ")
}
