package check

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/lockstep-sim/lockstep/sim/trace"
)

// noDeadlock watches for clients that wait, directly or through others, for a
// lock that they hold themselves: nobody is left who could give way. An attempt
// that is answered within the bound has not waited.
type noDeadlock struct {
	base
	grace
	circle []string
}

func newNoDeadlock(s Setup) Invariant {
	return &noDeadlock{base: base{"no-deadlock"}, grace: grace{bound: s.Bound}}
}

func (n *noDeadlock) Check(w *trace.World, e *trace.Event) string {
	circle := n.find(w)
	if !slices.Equal(circle, n.circle) {
		n.circle = circle
		n.begin(e.At)
	}
	n.keep(len(circle) > 0, e.At)
	return n.Overdue(w, e.At)
}

func (n *noDeadlock) Bound() time.Duration { return n.bound }

func (n *noDeadlock) Overdue(_ *trace.World, now int64) string {
	if _, report := n.overdue(now); !report {
		return ""
	}
	if len(n.circle) == 1 {
		return fmt.Sprintf("%s waits for a lock that it holds itself", n.circle[0])
	}
	return fmt.Sprintf("%s wait for each other", strings.Join(n.circle, " and "))
}

// find is a circle of clients each of which waits for a lock that the next one
// believes to hold, in lane order, or nil.
func (n *noDeadlock) find(w *trace.World) []string {
	for i := range w.Actors {
		start := w.Actors[i].Name
		if seen := n.reach(w, start, start, nil); seen != nil {
			slices.SortFunc(seen, func(a, b string) int { return lane(w, a) - lane(w, b) })
			return seen
		}
	}
	return nil
}

// reach follows the waits from a client until it comes to the target, and
// returns the clients on the way.
func (n *noDeadlock) reach(w *trace.World, from, target string, way []string) []string {
	key := waitsFor(w, from)
	if key == "" || slices.Contains(way, from) {
		return nil
	}
	way = append(slices.Clone(way), from)
	holders := inTheWay(w, from, key)
	if slices.Contains(holders, target) {
		return way
	}
	for _, h := range holders {
		if found := n.reach(w, h, target, way); found != nil {
			return found
		}
	}
	return nil
}

// inTheWay are the holders of a lock that keep a client out of it. A part that
// it shares with others is not in its own way.
func inTheWay(w *trace.World, client, key string) []string {
	a, _ := w.Actor(client)
	if own, ok := a.Belief(key); ok && own.Shared {
		return slices.DeleteFunc(w.Believers(key), func(h string) bool { return h == client })
	}
	return w.Believers(key)
}

func lane(w *trace.World, name string) int {
	return slices.IndexFunc(w.Actors, func(a trace.ActorView) bool { return a.Name == name })
}
