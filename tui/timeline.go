package tui

import (
	"sort"

	"github.com/lockstep-sim/lockstep/sim/trace"
)

// gapShown is the shortest silence, in nanoseconds, that gets a row of its own.
const gapShown = 10_000_000

// timeline is what a frame needs of a whole run, computed once: with it, drawing
// a frame does not depend on the length of the run.
type timeline struct {
	tr     *trace.Trace
	header trace.Header
	actors map[string]int // their places in the header

	rows  []row
	rowOf []int // the row of each step

	lanes  [][]laneSpan // of every actor, in order, see lane
	truth  []string     // who owns the lock in the store after each step
	seat   []int32      // the store that says so after each step, -1 if there is none
	legs   []leg        // of every step
	source []int32      // the last step up to each one whose source is known
	parted []int32      // the step at which belief and truth parted, 0 if they agree

	counters counters

	judged  map[string]bool // the locks of which a store says who owns them, at some time
	granted bool            // somebody is granted a lock in this run; otherwise only rows are locked

	leases [][]leaseSpan // of every actor, in order

	changed map[trace.KeyID][]int // the steps that changed each key, in order
	keeps   map[string]bool       // the stores that hold keys or sessions at some time
}

// row is a line of the lanes.
type row struct {
	kind rowKind
	step int
	item int // rowParted: the actor; rowBroken: which violation of the step
}

type rowKind uint8

const (
	rowEvent  rowKind = iota
	rowGap            // the silence before step
	rowParted         // belief and truth part at step
	rowBroken         // an invariant breaks at step
)

// laneState is what a lane shows beside an event.
type laneState struct {
	claim claim
	state trace.ActorState
}

// laneSpan is what a lane shows from a step on. A crowd of clients in which one
// acts at a time costs a span for each change, and not a state for each step.
type laneSpan struct {
	step int32
	laneState
}

// leaseSpan is a lease as its client knows it from a step on.
type leaseSpan struct {
	step      int
	at, until int64
}

// len is the number of the last step.
func (t *timeline) len() int { return t.tr.Len() }

// at is the virtual time of a step.
func (t *timeline) at(step int) int64 {
	if step == 0 {
		return 0
	}
	return t.tr.Event(step).At
}

// gapBefore is the virtual time between a step and the one before it.
func (t *timeline) gapBefore(step int) int64 { return t.at(step) - t.at(step-1) }

// lane is the state of an actor after a step.
func (t *timeline) lane(step, actor int) laneState {
	spans := t.lanes[actor]
	i := sort.Search(len(spans), func(i int) bool { return int(spans[i].step) > step })
	return spans[i-1].laneState
}

// lease is what an actor knows of its lease after a step, with the full length
// of the lease; ok is false if it has none that ends by time.
func (t *timeline) lease(step, actor int) (span leaseSpan, ok bool) {
	spans := t.leases[actor]
	i := sort.Search(len(spans), func(i int) bool { return spans[i].step > step })
	if i == 0 || spans[i-1].until == 0 {
		return leaseSpan{}, false
	}
	return spans[i-1], true
}

// changedAt is the last step up to a step that changed a key, or 0.
func (t *timeline) changedAt(step int, key trace.KeyID) int {
	steps := t.changed[key]
	if i := sort.SearchInts(steps, step+1); i > 0 {
		return steps[i-1]
	}
	return 0
}

// marksAt are the latest marks at or before a step: more than one if several
// fall on the same step.
func (t *timeline) marksAt(step int) []trace.Mark {
	marks := t.tr.Marks()
	end := sort.Search(len(marks), func(i int) bool { return marks[i].Step > step })
	begin := end
	for begin > 0 && marks[begin-1].Step == marks[end-1].Step {
		begin--
	}
	return marks[begin:end]
}

// nextMark is the step of the first mark after step, or of the last one before
// it, or -1.
func (t *timeline) nextMark(step, direction int) int {
	marks := t.tr.Marks()
	if direction > 0 {
		if i := sort.Search(len(marks), func(i int) bool { return marks[i].Step > step }); i < len(marks) {
			return marks[i].Step
		}
		return -1
	}
	if i := sort.Search(len(marks), func(i int) bool { return marks[i].Step >= step }); i > 0 {
		return marks[i-1].Step
	}
	return -1
}

// marked reports whether a mark falls on the step.
func (t *timeline) marked(step int) bool {
	marks := t.marksAt(step)
	return len(marks) > 0 && marks[len(marks)-1].Step == step
}
