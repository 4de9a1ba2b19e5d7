// Package check holds the invariants that a run is judged by.
//
// An invariant looks at the world after every step and says, in one line, why
// it is broken. What belongs here: one type for each invariant and the table of
// all of them. What does not: how the world came to be, and whether a scenario
// expects the violation.
package check

import (
	"time"

	"github.com/lockstep-sim/lockstep/sim/trace"
)

// Invariant is a property that must hold at every step of a run. It has state
// and serves one run.
type Invariant interface {
	// Name is the name used in scenario files.
	Name() string
	// Check looks at the world after event e. It returns the reason if e broke
	// the invariant, and "" if it did not; what was broken before is not
	// reported again.
	Check(w *trace.World, e *trace.Event) string
	// Finish looks at the world at the end. orderly says that the run came to
	// rest by itself, as opposed to being ended by the scenario.
	Finish(w *trace.World, orderly bool) string
}

// Timed is an invariant that can be broken by nothing happening.
type Timed interface {
	Invariant
	// Bound is how long after an actor has gone it must be asked.
	Bound() time.Duration
	// Overdue is Check for an instant without an event.
	Overdue(w *trace.World, now int64) string
}

// Setup is what invariants need to know about a run.
type Setup struct {
	Lock    string         // the key of the lock
	More    []string       // the keys of further locks
	Permits int            // of a semaphore; 1 for a lock
	Bound   time.Duration  // how long a lock may stay taken after its holder is gone
	Min     map[string]int // the lower bounds of resources by name
}

// Info describes an invariant.
type Info struct {
	Name    string
	Summary string
	// Default says that it is checked where a scenario names none.
	Default bool
	New     func(Setup) Invariant
}

// All lists the invariants in the order in which they are shown.
func All() []Info {
	return []Info{
		{"mutual-exclusion", "at most one client believes that it holds the lock", true, perLock(newMutualExclusion)},
		{"one-at-work", "at most one client is between its grant and its release, whatever it believes", false, newOneAtWork},
		{"only-owner-releases", "only its owner takes a lock away, apart from its time running out", true, perLock(newOnlyOwnerReleases)},
		{"only-owner-renews", "only its owner prolongs a lock", true, perLock(newOnlyOwnerRenews)},
		{"eventual-release", "a lock becomes free within the bound after its holder is gone", true, perLock(newEventualRelease)},
		{"no-stale-write", "a resource accepts no write of an earlier grant after one of a later grant", true, newNoStaleWrite},
		{"no-oversell", "a resource never falls below its lower bound", true, newNoOversell},
		{"no-lost-update", "no change of a resource is made from a value that others have changed since it was read", false, newNoLostUpdate},
		{"no-duplicates", "no two rows of a table say the same", false, newNoDuplicates},
		{"tokens-grow", "every grant has a larger fencing token than all before", true, newTokensGrow},
		{"no-forgotten-waiter", "no client waits for longer than the bound for a lock that is free", false, perLock(newNoForgottenWaiter)},
		{"no-deadlock", "no client waits for longer than the bound, directly or through others, for a lock that it holds itself", false, newNoDeadlock},
		{"no-long-wait", "no client waits for longer than the bound for one lock, one row or a connection", false, newNoLongWait},
		{"no-conflict-error", "no action fails because others are at the same rows: it waits, or is refused", false, newNoConflictError},
		{"no-lost-sale", "nobody is told that there is none, or nothing at all, while a resource is above its lower bound", false, newNoLostSale},
		{"no-orphan", "no lock belongs for longer than the bound to a client that lives and does not know of it", false, perLock(newNoOrphan)},
		{"no-herd", "the end of a grant wakes at most one of those who wait", false, newNoHerd},
		{"fifo", "grants follow the order in which clients have asked", false, newFIFO},
		{"at-most-permits", "at most as many clients believe that they hold a permit as there are", false, newAtMostPermits},
		{"no-lost-permit", "no client waits for longer than the bound while a permit is held by nobody", false, newNoLostPermit},
		{"nothing-left-behind", "at the end the lock is free", false, perLock(newNothingLeftBehind)},
	}
}

// Find is the invariant of that name.
func Find(name string) (Info, bool) {
	for _, i := range All() {
		if i.Name == name {
			return i, true
		}
	}
	return Info{}, false
}

// base gives invariants their name and an end without a verdict.
type base struct{ name string }

func (b base) Name() string { return b.name }

func (base) Finish(*trace.World, bool) string { return "" }
