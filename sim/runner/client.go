package runner

import (
	"context"
	"errors"
	"time"

	"github.com/lockstep-sim/lockstep/impl/clock"
	"github.com/lockstep-sim/lockstep/impl/fencing"
	"github.com/lockstep-sim/lockstep/impl/likes"
	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/sqllock"
	"github.com/lockstep-sim/lockstep/sim/kernel"
	"github.com/lockstep-sim/lockstep/sim/script"
	"github.com/lockstep-sim/lockstep/sim/trace"
)

// client is one client of the scenario: a process that performs its steps.
type client struct {
	x      *execution
	name   string
	steps  []script.Step
	start  time.Duration // from when its times count, in virtual time
	proc   *kernel.Process
	clk    clock.Clock
	locker lock.Locker
	links  map[string]register
	reads  map[string]int64 // the values it has read last

	grants  []*grant // what it has asked for and not given back, oldest first
	ended   bool
	results []*stepResult
}

func (x *execution) newClient(m script.Member) (*client, error) {
	c := &client{
		x: x, name: m.Name, steps: m.Steps,
		start: time.Duration(m.Index) * x.optional(m.Every),
		proc:  x.k.NewProcess(m.Name),
		links: map[string]register{}, reads: map[string]int64{},
	}
	c.clk = c.proc.Clock()
	if err := c.connect(); err != nil {
		return nil, err
	}
	var err error
	c.locker, err = x.backend.locker(c, x.params["kind"])
	return c, err
}

// stepResult is what became of one step.
type stepResult struct {
	verb    string
	outcome string
	lease   lock.Lease // what it was granted, if it asked for the lock
	// first and last are the steps of the trace at its beginning and end; last
	// is 0 while it has not ended.
	first, last int
}

// run performs the steps one after the other.
func (c *client) run() {
	_ = c.clk.Sleep(background, c.start) // the background never ends
	for i := range c.steps {
		c.wait(&c.steps[i])
		c.perform(&c.steps[i], i == len(c.steps)-1)
	}
	c.ended = true
}

// wait delays a step as it says.
func (c *client) wait(s *script.Step) {
	var d time.Duration
	switch {
	case s.At != nil:
		d = c.start + c.x.duration(*s.At) - time.Duration(c.x.k.Now())
	case s.After != nil:
		d = c.x.duration(*s.After)
	}
	_ = c.clk.Sleep(context.Background(), d) // the background never ends
}

// perform runs one step and records its beginning and its end. The end of the
// script is recorded with the end of its last step.
func (c *client) perform(s *script.Step, last bool) {
	v := verbs[s.Verb.Text]
	if c.skips(s, v) {
		c.skip(s, last)
		return
	}
	text := c.x.describe(s)
	r := &stepResult{verb: s.Verb.Text, outcome: "waiting"}
	c.results = append(c.results, r)
	if v.end != "" { // fail, exit and crash
		c.event(trace.KindCall, text, new(string), v.end)
		r.outcome, r.first, r.last = "ok", c.x.rec.Len(), c.x.rec.Len()
		c.die(v.end)
		return
	}
	if v.waits {
		c.x.rec.Ask(c.name, c.x.key(s))
	}
	c.event(trace.KindCall, text, &text, "")
	r.first = c.x.rec.Len()
	err := v.run(c, s)
	if v.tries {
		r.lease = c.lease()
	}
	r.outcome = outcome(err)
	c.finish(c.report(s, err), err, ending(last))
	r.last = c.x.rec.Len()
}

func (c *client) skip(s *script.Step, last bool) {
	c.event(trace.KindReturn, s.Verb.Text+": skipped, the lock was not granted", nil, ending(last))
	n := c.x.rec.Len()
	c.results = append(c.results, &stepResult{verb: s.Verb.Text, outcome: "skipped", first: n, last: n})
}

func (c *client) die(state trace.ActorState) {
	c.x.net.EndProcess(c.proc, state)
}

func ending(last bool) trace.ActorState {
	if last {
		return trace.StateDone
	}
	return ""
}

// finish records the end of an action, with the error as the code returned it.
func (c *client) finish(text string, err error, state trace.ActorState) {
	e := trace.Event{Actor: c.name, Kind: trace.KindReturn, Text: text, Outcome: outcome(err), Doing: new(string), State: state}
	if err != nil {
		e.Reply = err.Error()
	}
	c.x.rec.Add(e)
}

func (c *client) event(kind trace.Kind, text string, doing *string, state trace.ActorState) {
	c.x.rec.Add(trace.Event{Actor: c.name, Kind: kind, Text: text, Doing: doing, State: state})
}

// errSoldOut is the end of a take that found nothing to take.
var errSoldOut = errors.New("the value that was read is not above zero")

// outcome is the word by which expectations know how a step ended.
func outcome(err error) string {
	switch {
	case err == nil:
		return "ok"
	case errors.Is(err, lock.ErrNotHeld):
		return "not-held"
	case errors.Is(err, fencing.ErrStale):
		return "rejected"
	case errors.Is(err, errWorkFailed):
		return "failed"
	case errors.Is(err, errSoldOut):
		return "sold-out"
	case errors.Is(err, likes.ErrAlready):
		return "already"
	case errors.Is(err, sqllock.ErrConflict):
		return "conflict"
	case errors.Is(err, lock.ErrLost), errors.Is(err, lock.ErrSessionExpired):
		return "lost"
	case errors.Is(err, lock.ErrUnknownOutcome):
		return "unknown"
	case errors.Is(err, lock.ErrNotAcquired):
		return "not-acquired"
	}
	if word := sqlOutcome(err); word != "" {
		return word
	}
	return "error"
}
