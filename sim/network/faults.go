package network

import (
	"time"

	"github.com/lockstep-sim/lockstep/sim/kernel"
	"github.com/lockstep-sim/lockstep/sim/trace"
)

// Point is where in an exchange a fault strikes.
type Point int

// The points of an exchange, in order.
const (
	BeforeSend   Point = iota // the client is about to send the request
	OnRequest                 // the request is on its way
	OnReply                   // the answer is on its way
	AfterReceive              // the answer has reached the client, which has not acted on it
)

// Rule is a fault at a place.
type Rule struct {
	Actor   string // the client
	Command string
	Nth     int // which of its commands of that name, from 1
	Point   Point
	Do      Action

	seen int
	hit  bool
}

// Hit reports whether the run has reached the place.
func (r *Rule) Hit() bool { return r.hit }

// Action is what a fault does: [Crash] or [Pause] to the client, [Drop], [Delay],
// [Hold], [Break] or [Duplicate] to the message.
type Action interface{ fault() }

// Crash ends the client.
type Crash struct{}

// Pause stops the client for a time.
type Pause struct{ For time.Duration }

// Drop loses the message.
type Drop struct{}

// Delay makes the message take longer.
type Delay struct{ By time.Duration }

// Hold keeps the message until a virtual time.
type Hold struct{ Until time.Duration }

// Break loses the message together with the connection: the client learns at
// once that it is gone, and not whether the request was applied.
type Break struct{}

// Duplicate makes a request arrive twice. The client gets the first answer.
type Duplicate struct{}

func (Break) fault()     {}
func (Duplicate) fault() {}

func (Crash) fault() {}
func (Pause) fault() {}
func (Drop) fault()  {}
func (Delay) fault() {}
func (Hold) fault()  {}

// Faults is what goes wrong with messages in one run.
type Faults struct {
	Rules      []*Rule
	Partitions []Partition

	pending map[int]matched // by exchange: the rules that its answer must meet
}

// matched are the rules that apply to one exchange.
type matched []*Rule

func (f *Faults) match(actor, command string) matched {
	var out matched
	for _, r := range f.Rules {
		if r.Actor != actor || r.Command != command {
			continue
		}
		if r.seen++; r.seen == r.Nth {
			out = append(out, r)
		}
	}
	return out
}

func (f *Faults) remember(id int, m matched) {
	if len(m) == 0 {
		return
	}
	if f.pending == nil {
		f.pending = map[int]matched{}
	}
	f.pending[id] = m
}

func (f *Faults) recall(id int) matched {
	m := f.pending[id]
	delete(f.pending, id)
	return m
}

// of selects the rules for one point and notes that they were reached.
func (m matched) of(p Point) matched {
	var out matched
	for _, r := range m {
		if r.Point == p {
			r.hit = true
			out = append(out, r)
		}
	}
	return out
}

// strike applies the faults at p to the process itself. It reports whether
// there was one.
func (n *Network) strike(m matched, p Point, proc *kernel.Process) bool {
	rules := m.of(p)
	for _, r := range rules {
		switch f := r.Do.(type) {
		case Crash:
			n.CrashProcess(proc)
		case Pause:
			n.PauseProcess(proc, f.For)
		}
	}
	return len(rules) > 0
}

// PauseProcess pauses proc, its watchdogs and timers included, and records when
// it stops and when it goes on.
func (n *Network) PauseProcess(proc *kernel.Process, d time.Duration) {
	proc.Pause(d, func() {
		n.rec.Add(trace.Event{Actor: proc.Name(), Kind: trace.KindResume, Text: "resumes", State: trace.StateRunning})
	})
	n.rec.Add(trace.Event{Actor: proc.Name(), Kind: trace.KindFault, Text: "is paused for " + trace.Instant(int64(d)), State: trace.StatePaused})
}
