package trace

import (
	"cmp"
	"slices"
)

// interval is the number of steps between two stored worlds: small enough for a
// step to be rebuilt in microseconds, large enough for the stored worlds to
// weigh less than the events.
const interval = 64

// Trace is a finished run. It is immutable and safe for concurrent use.
type Trace struct {
	header      Header
	events      []Event
	marks       []Mark
	checkpoints []World // the world after step i*interval
}

// Header says what was run.
type Header struct {
	Scenario string  `json:"scenario"`
	Variant  string  `json:"variant"`
	Seed     uint64  `json:"seed"`
	Lock     string  `json:"lock"` // the key of the lock that the scenario is about
	Actors   []Actor `json:"actors"`
	// Checks names the invariants that the run was judged by.
	Checks []string `json:"checks"`
	End    int64    `json:"end_ns"` // virtual time at which the run ended
}

// New makes a trace of events in order of their steps. The marks need only
// their name and time. The slices belong to the trace from then on.
func New(h Header, events []Event, marks []Mark) *Trace {
	t := &Trace{header: h, events: events, marks: marks}
	w := h.Start()
	t.checkpoints = append(t.checkpoints, w.clone())
	for i := range events {
		w.Apply(&events[i])
		if (i+1)%interval == 0 {
			t.checkpoints = append(t.checkpoints, w.clone())
		}
	}
	for i := range t.marks {
		t.marks[i].Step = t.markStep(t.marks[i].At)
	}
	slices.SortStableFunc(t.marks, func(a, b Mark) int { return cmp.Compare(a.At, b.At) })
	return t
}

// Header says what was run.
func (t *Trace) Header() Header { return t.header }

// Len is the number of steps.
func (t *Trace) Len() int { return len(t.events) }

// Event is the event of step (1 ≤ step ≤ Len). It must not be changed.
func (t *Trace) Event(step int) *Event { return &t.events[step-1] }

// Marks are the named instants in order of time. They must not be changed.
func (t *Trace) Marks() []Mark { return t.marks }

// markStep is the last step at the instant at, so that everything that happens
// then has happened, or the first one after it where nothing does.
func (t *Trace) markStep(at int64) int {
	if last := t.StepBefore(at); last > 0 && t.events[last-1].At == at {
		return last
	}
	return t.StepAt(at)
}

// StepAt is the first step at or after the virtual time at, or the last step.
func (t *Trace) StepAt(at int64) int {
	i, _ := slices.BinarySearchFunc(t.events, at, func(e Event, at int64) int { return cmp.Compare(e.At, at) })
	return min(i+1, len(t.events))
}

// StepBefore is the last step at or before the virtual time at, or 0.
func (t *Trace) StepBefore(at int64) int {
	i, _ := slices.BinarySearchFunc(t.events, at+1, func(e Event, at int64) int { return cmp.Compare(e.At, at) })
	return i
}

// At is the world after step. Step 0 is the beginning; steps out of range are
// taken as the nearest one. The result is the caller's.
func (t *Trace) At(step int) World {
	step = max(0, min(step, len(t.events)))
	w := t.checkpoints[step/interval].clone()
	for i := step / interval * interval; i < step; i++ {
		w.Apply(&t.events[i])
	}
	return w
}

// Violations lists the broken invariants with their steps, in order.
func (t *Trace) Violations() []StepViolation {
	var out []StepViolation
	for i := range t.events {
		for _, v := range t.events[i].Violations {
			out = append(out, StepViolation{Violation: v, Step: t.events[i].Step, At: t.events[i].At})
		}
	}
	return out
}

// StepViolation is a violation with the step and virtual time of its first
// appearance.
type StepViolation struct {
	Violation
	Step int   `json:"step"`
	At   int64 `json:"at_ns"`
}

// Start is the world before the first step.
func (h *Header) Start() World {
	w := World{
		Keys: map[KeyID]KeyChange{}, Truth: map[string]Truth{},
		Watches: map[WatchID]WatchChange{}, Sessions: map[SessionID]SessionChange{},
	}
	for _, a := range h.Actors {
		w.Actors = append(w.Actors, ActorView{Actor: a, State: StateRunning})
	}
	return w
}
