package locktest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/lockstep-sim/lockstep/impl/lock"
)

const (
	workers = 5
	rounds  = 12
)

// contention lets workers take the lock again and again, and asks whether what
// they saw can be explained by a lock that one of them holds at a time. The
// history shows a double grant even where the two did not meet inside.
func contention(e *env) error {
	h := &history{}
	errs := make(chan error, workers)
	ctx, cancel := e.ctx()
	defer cancel()
	var inside atomic.Int32
	for id := range workers {
		l := e.client()
		go func() { errs <- h.work(ctx, id, l, &inside) }()
	}
	var failed error
	for range workers {
		failed = errors.Join(failed, <-errs)
	}
	if failed != nil {
		return failed
	}
	switch porcupine.CheckOperationsTimeout(mutexModel, h.ops, patience) {
	case porcupine.Ok:
		return nil
	case porcupine.Unknown:
		return fmt.Errorf("the history of %d operations could not be judged within %v", len(h.ops), patience)
	}
	return errors.New("the grants and releases that the workers saw are not those of a lock with one holder")
}

// history is what the workers did, in the order of a counter, since two readings
// of a clock can be equal.
type history struct {
	now atomic.Int64
	mu  sync.Mutex
	ops []porcupine.Operation
}

// op is a grant, a refusal or a release, as a model input.
type op struct {
	release bool
	worker  int
}

// record runs f as one operation, whose output is whether it was carried out.
func (h *history) record(in op, f func() (bool, error)) error {
	call := h.now.Add(1)
	done, err := f()
	ret := h.now.Add(1)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ops = append(h.ops, porcupine.Operation{ClientId: in.worker, Input: in, Call: call, Output: done, Return: ret})
	return err
}

func (h *history) work(ctx context.Context, id int, l lock.Locker, inside *atomic.Int32) error {
	for i := range rounds {
		acquire := l.Acquire
		if i%3 == 2 {
			acquire = l.TryAcquire
		}
		var lease lock.Lease
		err := h.record(op{worker: id}, func() (granted bool, err error) {
			lease, err = acquire(ctx, key)
			if errors.Is(err, lock.ErrNotAcquired) && i%3 == 2 {
				return false, nil
			}
			return err == nil, err
		})
		if err != nil {
			return fmt.Errorf("worker %d: %w", id, err)
		}
		if lease == nil || err != nil {
			continue
		}
		if err := h.leave(ctx, id, lease, inside); err != nil {
			return fmt.Errorf("worker %d: %w", id, err)
		}
	}
	return nil
}

// leave does a little work and releases.
func (h *history) leave(ctx context.Context, id int, lease lock.Lease, inside *atomic.Int32) error {
	if n := inside.Add(1); n != 1 {
		return fmt.Errorf("%d hold the lock at the same time", n)
	}
	work := time.NewTimer(time.Millisecond)
	<-work.C
	inside.Add(-1)
	return h.record(op{release: true, worker: id}, func() (bool, error) {
		err := lease.Release(ctx)
		return err == nil, err
	})
}

// free is the state of a lock without a holder.
const free = -1

// mutexModel is a lock: its state is the worker that holds it. A refusal proves
// nothing, since who had the lock then may have been about to release it.
var mutexModel = porcupine.Model{
	Init: func() any { return free },
	Step: func(state, input, output any) (bool, any) {
		holder, in, done := state.(int), input.(op), output.(bool)
		switch {
		case !done:
			return true, holder
		case in.release:
			return holder == in.worker, free
		}
		return holder == free, in.worker
	},
	Equal: func(a, b any) bool { return a == b },
}
