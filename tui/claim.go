package tui

import (
	"slices"
	"strings"

	"github.com/lockstep-sim/lockstep/sim/trace"
)

// claim is what a client makes of the lock, compared with the store.
type claim uint8

const (
	claimNone   claim = iota
	claimHolds        // believes that it holds it, and does
	claimDoubts       // believes that it holds it, and does not
	claimWorks        // works on although it knows of no lease
)

// contradicts reports whether the store says otherwise.
func (c claim) contradicts() bool { return c == claimDoubts || c == claimWorks }

// claim compares what an actor makes of the lock with the store.
func (t *timeline) claim(w *trace.World, a *trace.ActorView) claim {
	for _, b := range a.Beliefs {
		if t.judged[b.Lock] && !b.Shared && !agrees(b, w.Truth[b.Lock]) {
			return claimDoubts
		}
	}
	switch {
	case len(a.Beliefs) > 0:
		return claimHolds
	case strings.HasPrefix(a.Doing, "work") && t.hasHeld(w.Step, a) && live(a.State):
		return claimWorks
	default:
		return claimNone
	}
}

// hasHeld reports whether an actor has held a lock up to a step. Who works without
// one contradicts nobody.
func (t *timeline) hasHeld(step int, a *trace.ActorView) bool {
	leases := t.leases[t.actors[a.Name]]
	return len(leases) > 0 && leases[0].step <= step
}

// agrees reports whether a belief is what the store says. A client that re-enters
// goes by its own name, under which all its grants are; otherwise the grants have
// to be the same.
func agrees(b trace.Belief, t trace.Truth) bool {
	anyGrant := b.Owner == "" || b.Owner == b.Actor || t.Grant == ""
	return b.Actor == t.Owner && (anyGrant || b.Owner == t.Grant)
}

// live reports whether an actor can still act.
func live(s trace.ActorState) bool { return s != trace.StateCrashed && s != trace.StateExited }

// owners names those who own a lock in the stores, in the order of the lanes.
func owners(w *trace.World) string {
	var names []string
	for i := range w.Actors {
		name := w.Actors[i].Name
		for _, t := range w.Truth {
			if t.Owner == name && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return strings.Join(names, ",")
}
