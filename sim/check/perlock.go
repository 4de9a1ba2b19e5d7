package check

import (
	"slices"
	"strings"
	"time"

	"github.com/lockstep-sim/lockstep/sim/trace"
)

// perLock makes an invariant of one lock one of all locks of the run.
func perLock(f func(Setup) Invariant) func(Setup) Invariant {
	return func(s Setup) Invariant {
		if len(s.More) == 0 {
			return f(s)
		}
		var g group
		for _, l := range append([]string{s.Lock}, s.More...) {
			one := s
			one.Lock = l
			g = append(g, f(one))
		}
		if slices.ContainsFunc(g, func(i Invariant) bool { _, ok := i.(Timed); return ok }) {
			return timedGroup{g}
		}
		return g
	}
}

// group is the same invariant for several locks.
type group []Invariant

func (g group) Name() string { return g[0].Name() }

func (g group) Check(w *trace.World, e *trace.Event) string {
	return g.ask(func(i Invariant) string { return i.Check(w, e) })
}

func (g group) Finish(w *trace.World, orderly bool) string {
	return g.ask(func(i Invariant) string { return i.Finish(w, orderly) })
}

// ask puts the reasons of all together.
func (g group) ask(f func(Invariant) string) string {
	var reasons []string
	for _, i := range g {
		if reason := f(i); reason != "" {
			reasons = append(reasons, reason)
		}
	}
	return strings.Join(reasons, "; ")
}

// timedGroup is a group that can be broken by nothing happening.
type timedGroup struct{ group }

func (g timedGroup) Bound() time.Duration { return g.group[0].(Timed).Bound() }

func (g timedGroup) Overdue(w *trace.World, now int64) string {
	return g.ask(func(i Invariant) string { return i.(Timed).Overdue(w, now) })
}
