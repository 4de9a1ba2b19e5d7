// Package record builds the trace of a run while the run goes on.
//
// It stamps every event with virtual time and with the line of impl/ that was
// executing, notes whose belief changed, keeps the current world and lets the
// invariants look at it. What belongs here: that, and nothing that makes events
// happen. What does not: the record itself (sim/trace) and the invariants
// (sim/check).
package record

import (
	"slices"
	"strconv"

	"github.com/lockstep-sim/lockstep/sim/check"
	"github.com/lockstep-sim/lockstep/sim/kernel"
	"github.com/lockstep-sim/lockstep/sim/trace"
)

// MaxEvents bounds the length of a record, and with it the memory of a run
// (about 1.5 kB an event, see docs/performance.md).
const MaxEvents = 100_000

// Recorder takes down one run.
type Recorder struct {
	k       *kernel.Kernel
	header  trace.Header
	world   trace.World
	events  []trace.Event
	marks   []trace.Mark // in order of time
	passed  int          // how many of them lie behind
	checks  []check.Invariant
	beliefs map[string][]*belief // by actor
	pending []*belief            // that no event has carried yet
	asks    map[string]string    // by actor: the lock that it asks for, where no event has told it yet
	sources map[int]trace.Source
	lastMsg int
	sealed  bool
}

// New makes a recorder for k. The header's End is filled in by Finish.
func New(k *kernel.Kernel, h trace.Header, checks []check.Invariant) *Recorder {
	r := &Recorder{
		k: k, header: h, checks: checks,
		beliefs: map[string][]*belief{}, sources: map[int]trace.Source{}, asks: map[string]string{},
	}
	for _, c := range checks {
		r.header.Checks = append(r.header.Checks, c.Name())
	}
	r.world = r.header.Start()
	k.AfterStep(r.flush)
	return r
}

// World is the current state. It must not be changed.
func (r *Recorder) World() *trace.World { return &r.world }

// Len is the number of events so far.
func (r *Recorder) Len() int { return len(r.events) }

// NewMessage is the id of a new exchange.
func (r *Recorder) NewMessage() int {
	r.lastMsg++
	return r.lastMsg
}

// Add appends an event. Step, time and, unless it is set, the source position
// are filled in. After Finish it does nothing, so what unwinding tasks do is
// never seen.
func (r *Recorder) Add(e trace.Event) {
	if r.sealed {
		return
	}
	if len(r.events) >= MaxEvents {
		r.k.Fail(&kernel.LimitError{Limit: kernel.LimitEvents, Value: strconv.Itoa(MaxEvents), At: r.k.Now()})
		return
	}
	e.At = int64(r.k.Now())
	r.pass(e.At)
	e.Source = r.locate(&e)
	if e.State == trace.StateCrashed || e.State == trace.StateExited {
		r.forget(e.Actor)
	}
	e.Beliefs = append(e.Beliefs, r.takeBeliefs(e.Actor)...)
	e.Asks = r.takeAsks(e.Actor)
	r.append(e)
	if e.State != "" || e.Doing != nil || e.Asks != nil || len(e.Sessions) > 0 {
		r.askLater()
	}
}

// append gives an event its number, and lets the invariants look at what it did.
func (r *Recorder) append(e trace.Event) {
	e.Step = len(r.events) + 1
	r.world.Apply(&e)
	for _, c := range r.checks {
		if reason := c.Check(&r.world, &e); reason != "" {
			v := trace.Violation{Invariant: c.Name(), Reason: reason}
			e.Violations = append(e.Violations, v)
			r.world.Violations = append(r.world.Violations, trace.StepViolation{Violation: v, Step: e.Step, At: e.At})
		}
	}
	r.events = append(r.events, e)
}

// askLater makes sure that the timed invariants are asked when the bound that
// may have begun now is over, even if nothing else happens then.
func (r *Recorder) askLater() {
	for _, c := range r.checks {
		timed, ok := c.(check.Timed)
		if !ok {
			continue
		}
		r.k.After(timed.Bound(), func() {
			if reason := timed.Overdue(&r.world, int64(r.k.Now())); reason != "" {
				r.note("a bound is over", c.Name(), reason)
			}
		})
	}
}

// note records an invariant that is broken without an event of anybody's.
func (r *Recorder) note(text, invariant, reason string) {
	r.Add(trace.Event{
		Kind: trace.KindNote, Text: text,
		Violations: []trace.Violation{{Invariant: invariant, Reason: reason}},
	})
}

// Finish judges the end of the run, closes the record and returns it. orderly
// says that the run came to rest by itself, so that what is left now is left
// for good.
func (r *Recorder) Finish(orderly bool) *trace.Trace {
	for _, c := range r.checks {
		if reason := c.Finish(&r.world, orderly); reason != "" {
			r.note("the run is over", c.Name(), reason)
		}
	}
	r.header.End = int64(r.k.Now())
	r.pass(r.header.End + 1)
	r.sealed = true
	return trace.New(r.header, slices.Clip(r.events), r.marks)
}
