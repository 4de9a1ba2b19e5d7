// Package kernel runs concurrent code in virtual time, one step after the other
// and always in the same order.
//
// A simulated process is a set of tasks. A task is a coroutine: it runs until it
// waits in one of the primitives of impl/clock, and exactly one task runs at any
// moment. Time stands still while a task runs, and jumps to the next event when
// none can. Where several events are due at one instant, the order is a choice
// point, answered by the order of scheduling unless a [Chooser] is set.
//
// What belongs here: virtual time, tasks, processes with their clocks and their
// crashes and pauses, the event queue, seeded randomness, limits. What does not:
// messages, stores, locks, and the record of what happened.
package kernel

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"time"
)

// Time is virtual time: nanoseconds from the start of the run.
type Time int64

// Epoch is what a process clock without offset shows at virtual time 0.
var Epoch = time.Date(2000, time.January, 1, 0, 0, 0, 0, time.UTC)

// String formats t as a duration from the start of the run.
func (t Time) String() string { return time.Duration(t).String() }

// Kernel is one run. It is used from one goroutine at a time: the one that
// builds the world, and then the one that [Kernel.Run] starts.
type Kernel struct {
	now       Time
	seq       uint64
	queue     queue
	current   *Task
	tasks     []*Task
	finished  int // tasks in the list that have ended
	rng       *rand.Rand
	limits    Limits
	chooser   Chooser
	observers []func()

	stopping bool // Stop was called
	closing  bool // tasks are being unwound; nothing they do counts any more
	stalled  bool // a task never came back; its coroutine cannot be unwound
	failure  error
	progress atomic.Uint64
	last     atomic.Pointer[Task] // the task that was resumed last, for StallError
	aborted  atomic.Bool
}

// New makes a run. Two runs with the same seed, the same chooser and the same
// calls behave alike. The zero Limits are replaced by [DefaultLimits].
func New(seed uint64, limits Limits) *Kernel {
	return &Kernel{
		rng:    rand.New(rand.NewPCG(seed, 0x6c6f636b73746570)), // "lockstep"
		limits: limits.withDefaults(),
	}
}

// Now is the virtual time.
func (k *Kernel) Now() Time { return k.now }

// Rand is the only source of randomness of a run.
func (k *Kernel) Rand() *rand.Rand { return k.rng }

// After calls f at d from now, outside any task. It is how the environment acts:
// a message arrives, a fault strikes. f must not wait.
func (k *Kernel) After(d time.Duration, f func()) *Event {
	return k.schedule(k.now+Time(max(d, 0)), nil, f)
}

// At calls f at the virtual time t, or now if that is past. See [Kernel.After].
func (k *Kernel) At(t Time, f func()) *Event {
	return k.schedule(max(t, k.now), nil, f)
}

// Stop makes Run return after the current step.
func (k *Kernel) Stop() { k.stopping = true }

// AfterStep calls f after every step, outside any task. It is for observers.
func (k *Kernel) AfterStep(f func()) { k.observers = append(k.observers, f) }

// Fail makes Run return err after the current step. The first failure counts.
func (k *Kernel) Fail(err error) {
	if k.failure == nil {
		k.failure = err
	}
}

// Closing reports whether the run is over and its tasks are being unwound.
// Connections use it to refuse what deferred calls still try to send.
func (k *Kernel) Closing() bool { return k.closing }

// InTask reports whether a task is running, as opposed to the environment.
func (k *Kernel) InTask() bool { return k.current != nil }

// Current is the process whose task is running, or nil.
func (k *Kernel) Current() *Process {
	if k.current == nil {
		return nil
	}
	return k.current.proc
}

// Run executes events until none is left, Stop is called, a limit is reached
// (a [*LimitError]), a task panics or blocks outside the kernel (a
// [*StallError]), or ctx ends.
func (k *Kernel) Run(ctx context.Context) error {
	done := make(chan error, 1)
	go func() { done <- k.loop() }()
	return k.supervise(ctx, done)
}

func (k *Kernel) loop() error {
	for len(k.queue) > 0 && !k.stopping && k.failure == nil {
		if k.aborted.Load() {
			return context.Canceled
		}
		e := k.next()
		if err := k.limits.check(e.at, k.progress.Add(1)); err != nil {
			return err
		}
		k.now = e.at
		k.dispatch(e)
		for _, f := range k.observers {
			f()
		}
	}
	return k.failure
}

// dispatch runs one event unless its process is not in a state to run it.
func (k *Kernel) dispatch(e *Event) {
	switch p := e.proc; {
	case p == nil:
		e.run(k)
	case p.Dead():
	case p.paused:
		if !p.holds(e) {
			p.held = append(p.held, e)
		}
	default:
		e.run(k)
		p.pollContexts()
	}
}

// Close ends the run: every task that has not finished is unwound, with its
// deferred calls, but nothing that these do has any effect. The kernel cannot
// be used afterwards.
func (k *Kernel) Close() {
	k.closing = true
	if k.stalled {
		return
	}
	for i := 0; i < len(k.tasks); i++ {
		k.tasks[i].unwind()
	}
	k.tasks = nil
	k.queue = nil
}

// mustTask is the running task. Waiting outside a task is a mistake of the
// simulator, not of the simulated program.
func (k *Kernel) mustTask(what string) *Task {
	if k.current == nil {
		panic(fmt.Sprintf("kernel: %s called outside a task", what))
	}
	return k.current
}
