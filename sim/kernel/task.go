package kernel

import (
	"context"
	"fmt"
	"iter"
	"runtime/debug"
	"time"

	"github.com/lockstep-sim/lockstep/impl/clock"
)

// Task is one coroutine of a process.
type Task struct {
	k      *Kernel
	proc   *Process
	name   string
	next   func() (struct{}, bool)
	stop   func()
	yield  func(struct{}) bool
	wakeup Event // the one event that continues this task
	done   bool

	waiting bool
	result  error
	ctx     context.Context // the context of the current wait, if it can end
}

// killed unwinds a task at the end of the run.
type killed struct{}

// Go starts f as a task of p. The name shows in choice points and errors.
func (p *Process) Go(name string, f func()) {
	if t := p.newTask(name, f); t != nil {
		p.k.move(&t.wakeup, p.k.now)
	}
}

// goNow starts f as a task and runs it at once, before anything else that is
// due at this instant. It must be called from the environment.
func (p *Process) goNow(name string, f func()) {
	if t := p.newTask(name, f); t != nil {
		t.resume()
	}
}

// newTask makes a task that has not started, or nil if the process is over.
func (p *Process) newTask(name string, f func()) *Task {
	k := p.k
	if k.closing || p.Dead() {
		return nil
	}
	t := &Task{k: k, proc: p, name: name}
	t.wakeup = Event{proc: p, task: t, index: -1}
	t.next, t.stop = iter.Pull(func(yield func(struct{}) bool) {
		t.yield = yield
		t.run(f)
	})
	k.tasks = append(k.tasks, t)
	return t
}

// run is the bottom of the coroutine. A panic of the simulated program ends the
// run with an error instead of the whole program.
func (t *Task) run(f func()) {
	defer func() {
		switch r := recover(); r.(type) {
		case nil, killed:
		default:
			t.k.Fail(fmt.Errorf("task %s of %s panicked: %v\n%s", t.name, t.proc.name, r, debug.Stack()))
		}
	}()
	f()
}

// resume continues the task until it waits again or ends.
func (t *Task) resume() {
	if t.waiting { // nobody ended the wait, so its limit did
		t.waiting, t.result = false, clock.ErrTimeout
	}
	outer := t.k.current
	t.k.current = t
	t.k.last.Store(t)
	_, alive := t.next()
	t.k.current = outer
	if !alive {
		t.finish()
	}
}

func (t *Task) finish() {
	t.done = true
	t.proc.forget(t)
	t.k.compact()
}

// compact drops finished tasks once they outnumber the living ones, so that a
// long run with many short tasks does not grow.
func (k *Kernel) compact() {
	k.finished++
	if k.finished < 64 || k.finished*2 < len(k.tasks) {
		return
	}
	alive := k.tasks[:0]
	for _, t := range k.tasks {
		if !t.done {
			alive = append(alive, t)
		}
	}
	clear(k.tasks[len(alive):])
	k.tasks, k.finished = alive, 0
}

// unwind runs the deferred calls of an unfinished task.
func (t *Task) unwind() {
	if t.done {
		return
	}
	outer := t.k.current
	t.k.current = t
	t.stop()
	t.k.current = outer
	t.done = true
}

// park gives control back to the kernel until the task's event is due.
func (t *Task) park() {
	if t.k.closing || !t.yield(struct{}{}) {
		panic(killed{})
	}
}

// wait parks the task until somebody calls wake, the limit passes or ctx ends.
func (t *Task) wait(ctx context.Context, limit time.Duration) error {
	t.waiting = true
	if limit >= 0 {
		t.k.move(&t.wakeup, t.k.now+t.proc.toKernel(limit))
	}
	if ctx.Done() != nil {
		t.ctx = ctx
		t.proc.waiters = append(t.proc.waiters, t)
	}
	t.park()
	if t.ctx != nil {
		t.proc.forget(t)
	}
	return t.result
}

// wake ends the wait of the task with result. It reports false when the task is
// not waiting any more.
func (t *Task) wake(result error) bool {
	if !t.waiting {
		return false
	}
	t.waiting, t.result = false, result
	t.k.move(&t.wakeup, t.k.now)
	return true
}

// Yield lets everything else that is due at this instant run first. A crash or
// pause of the running process takes effect here.
func (k *Kernel) Yield() {
	t := k.mustTask("Yield")
	k.move(&t.wakeup, k.now)
	t.park()
}
