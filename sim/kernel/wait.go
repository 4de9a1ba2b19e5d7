package kernel

import (
	"context"
	"slices"
	"time"

	"github.com/lockstep-sim/lockstep/impl/clock"
)

// signal is clock.Signal. Waiters are woken in the order in which they came.
type signal struct {
	k       *Kernel
	pending bool
	waiters []*Task
}

func (s *signal) Notify() {
	for len(s.waiters) > 0 {
		t := s.waiters[0]
		s.waiters = s.waiters[1:]
		if t.wake(nil) {
			return
		}
	}
	s.pending = true
}

func (s *signal) Wait(ctx context.Context, limit time.Duration) error {
	t := s.k.mustTask("Signal.Wait")
	if s.pending {
		s.pending = false
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if limit == 0 {
		return clock.ErrTimeout
	}
	s.waiters = append(s.waiters, t)
	err := t.wait(ctx, limit)
	if err != nil {
		s.waiters = remove(s.waiters, t)
	}
	return err
}

// event is clock.Event. All waiters are woken, in the order in which they came.
type event struct {
	k       *Kernel
	set     bool
	c       chan struct{}
	waiters []*Task
}

func (e *event) Set() {
	if e.set {
		return
	}
	e.set = true
	close(e.c)
	for _, t := range e.waiters {
		t.wake(nil)
	}
	e.waiters = nil
}

func (e *event) IsSet() bool { return e.set }

func (e *event) Done() <-chan struct{} { return e.c }

func (e *event) Wait(ctx context.Context, limit time.Duration) error {
	t := e.k.mustTask("Event.Wait")
	if e.set {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if limit == 0 {
		return clock.ErrTimeout
	}
	e.waiters = append(e.waiters, t)
	err := t.wait(ctx, limit)
	if err != nil {
		e.waiters = remove(e.waiters, t)
	}
	return err
}

func remove(list []*Task, t *Task) []*Task {
	return slices.DeleteFunc(list, func(o *Task) bool { return o == t })
}
