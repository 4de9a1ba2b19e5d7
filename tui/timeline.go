package tui

import (
	"slices"
	"sort"
	"strings"

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

	lanes  []laneState // of every step and actor, see lane
	truth  []string    // who owns the lock in the store after each step
	legs   []leg       // of every step
	source []int32     // the last step up to each one whose source is known
	parted []int32     // the step at which belief and truth parted, 0 if they agree

	leases [][]leaseSpan // of every actor, in order
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

// claim is what a client makes of the lock, compared with the store.
type claim uint8

const (
	claimNone   claim = iota
	claimHolds        // believes that it holds it, and does
	claimDoubts       // believes that it holds it, and does not
	claimWorks        // works on although it knows of no lease
)

// false reports whether the claim contradicts the store.
func (c claim) contradicts() bool { return c == claimDoubts || c == claimWorks }

// leg is the way of one message. What becomes of it is noted at the step in which
// it leaves, and that step at the one in which it arrives.
type leg struct {
	arrives int32 // the step of its arrival or loss; 0 if the run ends before
	lost    bool
	left    int32 // the step in which what arrives here has left; 0 if nothing does
}

// leaseSpan is a lease as its client knows it from a step on.
type leaseSpan struct {
	step      int
	at, until int64
}

// newTimeline computes the timeline of tr.
func newTimeline(tr *trace.Trace) *timeline {
	h := tr.Header()
	t := &timeline{tr: tr, header: h, actors: map[string]int{}, leases: make([][]leaseSpan, len(h.Actors))}
	for i, a := range h.Actors {
		t.actors[a.Name] = i
	}
	t.legs = legs(tr)
	w := h.Start()
	t.add(&w, nil)
	for step := 1; step <= tr.Len(); step++ {
		e := tr.Event(step)
		w.Apply(e)
		t.add(&w, e)
	}
	return t
}

// add appends the world after a step. Only step 0 has no event.
func (t *timeline) add(w *trace.World, e *trace.Event) {
	step := w.Step
	t.truth = append(t.truth, owners(w))
	for i := range w.Actors {
		t.lanes = append(t.lanes, laneState{t.claim(w, &w.Actors[i]), w.Actors[i].State})
	}
	t.addGap(step)
	t.rowOf = append(t.rowOf, len(t.rows))
	t.rows = append(t.rows, row{kind: rowEvent, step: step})
	t.addParted(step)
	t.addSource(step, e)
	if e == nil {
		return
	}
	for i := range e.Violations {
		t.rows = append(t.rows, row{kind: rowBroken, step: step, item: i})
	}
	t.addLeases(e)
}

func (t *timeline) addGap(step int) {
	if step > 0 && t.gapBefore(step) >= gapShown {
		t.rows = append(t.rows, row{kind: rowGap, step: step})
	}
}

// addParted notes since when belief and truth disagree, with a row for every
// client whose claim has come to contradict the store.
func (t *timeline) addParted(step int) {
	since := int32(0)
	for i := range t.header.Actors {
		if !t.lane(step, i).claim.contradicts() {
			continue
		}
		if step > 0 && t.lane(step-1, i).claim.contradicts() {
			since = t.parted[step-1]
			continue
		}
		t.rows = append(t.rows, row{kind: rowParted, step: step, item: i})
		if since == 0 {
			since = int32(step)
		}
	}
	t.parted = append(t.parted, since)
}

func (t *timeline) addSource(step int, e *trace.Event) {
	last := int32(0)
	switch {
	case e == nil:
	case e.Source.File != "":
		last = int32(step)
	default:
		last = t.source[step-1]
	}
	t.source = append(t.source, last)
}

func (t *timeline) addLeases(e *trace.Event) {
	for _, b := range e.Beliefs {
		if i, ok := t.actors[b.Actor]; ok {
			t.leases[i] = append(t.leases[i], leaseSpan{e.Step, e.At, b.Until})
		}
	}
}

// claim compares what an actor makes of the lock with the store.
func (t *timeline) claim(w *trace.World, a *trace.ActorView) claim {
	for _, b := range a.Beliefs {
		if truth, known := w.Truth[b.Lock]; known && !agrees(b, truth) {
			return claimDoubts
		}
	}
	switch {
	case len(a.Beliefs) > 0:
		return claimHolds
	case strings.HasPrefix(a.Doing, "work") && t.header.Lock != "" && live(a.State):
		return claimWorks
	default:
		return claimNone
	}
}

func agrees(b trace.Belief, t trace.Truth) bool {
	return b.Actor == t.Owner && (b.Owner == "" || t.Grant == "" || b.Owner == t.Grant)
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

// legs finds where the messages of a run end.
func legs(tr *trace.Trace) []leg {
	out := make([]leg, tr.Len()+1)
	open := map[int]int{} // the step at which the current leg of a message began
	for step := 1; step <= tr.Len(); step++ {
		e := tr.Event(step)
		if e.Msg == 0 {
			continue
		}
		if began := open[e.Msg]; began > 0 {
			out[began].arrives, out[began].lost = int32(step), e.Kind == trace.KindLost
			out[step].left = int32(began)
		}
		if departs(e) {
			open[e.Msg] = step
		} else {
			delete(open, e.Msg)
		}
	}
	return out
}

// departs reports whether a message leaves with the event.
func departs(e *trace.Event) bool {
	switch e.Kind {
	case trace.KindSend, trace.KindPush:
		return true
	case trace.KindExec:
		return e.Msg != 0 && e.Peer != ""
	default:
		return false
	}
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

// underWay is how long the message that arrives with a step was under way.
func (t *timeline) underWay(step int) int64 {
	if t.legs[step].left == 0 {
		return 0
	}
	return t.at(step) - t.at(int(t.legs[step].left))
}

// lane is the state of an actor after a step.
func (t *timeline) lane(step, actor int) laneState {
	return t.lanes[step*len(t.header.Actors)+actor]
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
