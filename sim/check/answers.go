package check

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/lockstep-sim/lockstep/sim/trace"
)

// noConflictError watches for actions that end with an error of the database
// because others were at work on the same rows. A lock makes those who come
// second wait, or refuses them; it does not fail them.
type noConflictError struct{ base }

func newNoConflictError(Setup) Invariant { return noConflictError{base{"no-conflict-error"}} }

func (noConflictError) Check(_ *trace.World, e *trace.Event) string {
	if e.Outcome != "deadlock" && e.Outcome != "duplicate" {
		return ""
	}
	return fmt.Sprintf("%s fails with %s: others were at the same rows", e.Actor, e.Outcome)
}

// noLostSale watches for clients that go away for good, believing that a resource
// is at its lower bound, while it is not.
type noLostSale struct {
	base
	min map[string]int
}

func newNoLostSale(s Setup) Invariant { return noLostSale{base{"no-lost-sale"}, s.Min} }

func (n noLostSale) Check(w *trace.World, e *trace.Event) string {
	if e.Outcome != "sold-out" && e.Outcome != "refused" {
		return ""
	}
	for _, name := range slices.Sorted(maps.Keys(n.min)) {
		if left, ok := quantity(w, name); ok && left > n.min[name] {
			return fmt.Sprintf("%s is sent away (%s) while %s is %d", e.Actor, e.Outcome, name, left)
		}
	}
	return ""
}

// quantity is the value of a resource in its store.
func quantity(w *trace.World, name string) (int, bool) {
	ids := slices.SortedFunc(maps.Keys(w.Keys), func(a, b trace.KeyID) int { return cmp.Compare(a.Store, b.Store) })
	for _, id := range ids {
		if id.Key == name {
			n, err := strconv.Atoi(w.Keys[id].Value)
			return n, err == nil
		}
	}
	return 0, false
}
