package kernel

import (
	"slices"
	"time"

	"github.com/lockstep-sim/lockstep/impl/clock"
)

// Process is a set of tasks that share a clock and a fate. Clients are
// processes, and so are the nodes of a store, which have a clock but no tasks.
type Process struct {
	k       *Kernel
	name    string
	offset  time.Duration
	drift   float64 // seconds gained per second
	paused  bool
	crashed bool
	exited  bool
	held    []*Event // what came due during a pause, in order
	waiters []*Task  // tasks whose wait ends with a context
	resume  *Event
}

// NewProcess adds a process.
func (k *Kernel) NewProcess(name string) *Process { return &Process{k: k, name: name} }

// Name is the name given to NewProcess.
func (p *Process) Name() string { return p.name }

// Clock is the clock that the code of this process takes.
func (p *Process) Clock() clock.Clock { return processClock{p} }

// Now is the time that the clock of this process shows.
func (p *Process) Now() time.Time { return Epoch.Add(p.offset + p.local(p.k.now)) }

// SetOffset sets by how much the clock of this process is ahead.
func (p *Process) SetOffset(d time.Duration) { p.offset = d }

// Jump moves the clock of this process by d, forwards or backwards. What it is
// waiting for is not affected: waits are monotonic.
func (p *Process) Jump(d time.Duration) { p.offset += d }

// SetDrift makes the clock of this process gain rate seconds per second (a
// negative rate loses). It counts from the start of the run; the usual bound for
// a healthy machine is 200 ppm, 0.0002.
func (p *Process) SetDrift(rate float64) { p.drift = rate }

// Virtual is the virtual time at which the clock of this process shows t.
func (p *Process) Virtual(t time.Time) Time { return p.toKernel(t.Sub(Epoch) - p.offset) }

// VirtualAfter is the virtual time at which d has passed on the clock of this
// process, from now.
func (p *Process) VirtualAfter(d time.Duration) Time { return p.k.now + p.toKernel(d) }

func (p *Process) local(t Time) time.Duration {
	if p.drift == 0 {
		return time.Duration(t)
	}
	return time.Duration(float64(t) * (1 + p.drift))
}

func (p *Process) toKernel(d time.Duration) Time {
	if p.drift == 0 {
		return Time(d)
	}
	return Time(float64(d) / (1 + p.drift))
}

// After calls f at d from now on the clock of this process, unless it is dead by
// then; if it is paused, when it resumes. f must not wait.
func (p *Process) After(d time.Duration, f func()) *Event {
	return p.k.schedule(p.k.now+p.toKernel(max(d, 0)), p, f)
}

// Pause stops all tasks and timers of the process for d, as a stop-the-world
// pause or a SIGSTOP does. What becomes due meanwhile happens, in order, at the
// end. A longer pause replaces a shorter one. onResume is called at the end; it
// may be nil.
func (p *Process) Pause(d time.Duration, onResume func()) {
	if p.Dead() {
		return
	}
	if p.paused {
		if p.resume.at >= p.k.now+Time(d) {
			return
		}
		p.k.Cancel(p.resume)
	}
	p.paused = true
	p.resume = p.k.After(d, func() { p.wakeUp(onResume) })
}

func (p *Process) wakeUp(onResume func()) {
	p.paused = false
	held := p.held
	p.held = nil
	if p.Dead() {
		return
	}
	if onResume != nil {
		onResume()
	}
	for _, e := range held {
		p.k.move(e, p.k.now)
	}
}

// Crash ends the process where it stands: no task of it executes another
// statement.
func (p *Process) Crash() { p.crashed = true }

// Exit ends the process from within: all its tasks stop, its timers with them.
// Unlike a crash it is meant.
func (p *Process) Exit() { p.exited = true }

// Paused reports whether the process is in a pause.
func (p *Process) Paused() bool { return p.paused }

// Dead reports whether the process has crashed or exited.
func (p *Process) Dead() bool { return p.crashed || p.exited }

func (p *Process) holds(e *Event) bool { return slices.Contains(p.held, e) }

func (p *Process) forget(t *Task) {
	t.ctx = nil
	if i := slices.Index(p.waiters, t); i >= 0 {
		p.waiters = slices.Delete(p.waiters, i, i+1)
	}
}

// pollContexts wakes the tasks whose context has ended. A context made by
// package context has no synchronous hook for that, and only code of the same
// process cancels it, so looking after each step of the process is enough.
func (p *Process) pollContexts() {
	for _, t := range p.waiters {
		if t.waiting {
			if err := t.ctx.Err(); err != nil {
				t.wake(err)
			}
		}
	}
}
