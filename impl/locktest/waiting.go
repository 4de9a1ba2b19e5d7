package locktest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/lockstep-sim/lockstep/impl/lock"
)

// attempt is an Acquire in a goroutine of its own.
type attempt struct {
	lease lock.Lease
	err   error
	done  chan struct{}
	// cancel ends the waiting.
	cancel context.CancelFunc
	// at is when it was granted.
	at time.Time
}

func (e *env) start(ctx context.Context, l lock.Locker, key string) *attempt {
	a := &attempt{done: make(chan struct{})}
	ctx, a.cancel = context.WithCancel(ctx)
	e.waiting = append(e.waiting, a)
	go func() {
		defer close(a.done)
		a.lease, a.err = l.Acquire(ctx, key)
		a.at = time.Now()
	}()
	return a
}

// granted waits for the grant, up to a limit.
func (a *attempt) granted(limit time.Duration) error {
	timeout := time.NewTimer(limit)
	defer timeout.Stop()
	select {
	case <-a.done:
	case <-timeout.C:
		return fmt.Errorf("a waiting Acquire was not granted within %v", limit)
	}
	if a.err != nil {
		return fmt.Errorf("a waiting Acquire = %w, want a lease", a.err)
	}
	return nil
}

// cancelled waits for the end of an Acquire whose context was cancelled.
func (a *attempt) cancelled() error {
	timeout := time.NewTimer(patience)
	defer timeout.Stop()
	select {
	case <-a.done:
	case <-timeout.C:
		return fmt.Errorf("an Acquire whose context ended did not return within %v", patience)
	}
	if a.err == nil {
		_ = a.lease.Release(context.Background())
		return errors.New("an Acquire of a lock that another holds was granted")
	}
	return errors.Join(
		wantErr("an Acquire whose context ended", a.err, lock.ErrNotAcquired),
		wantErr("an Acquire whose context ended", a.err, context.Canceled))
}

// waits sees that a waiter really waits, as far as the backend can tell.
func (e *env) waits(n int) error {
	if e.backend.Waiting == nil {
		return nil
	}
	return e.eventually(fmt.Sprintf("%d waiters", n), patience, func() bool { return e.backend.Waiting(e.t, key) == n })
}

func handOver(e *env) error {
	a, b := e.client(), e.client()
	lease, err := e.acquire(a, key)
	if err != nil {
		return err
	}
	ctx, cancel := e.ctx()
	defer cancel()
	waiting := e.start(ctx, b, key)
	if err := e.waits(1); err != nil {
		return err
	}
	select {
	case <-waiting.done:
		return fmt.Errorf("Acquire of a lock that another holds returned %v", waiting.err)
	default:
	}
	if err := e.released(lease); err != nil {
		return err
	}
	if err := waiting.granted(patience); err != nil {
		return err
	}
	return e.released(waiting.lease)
}

func contextOfAcquire(e *env) error {
	l := e.client()
	ctx, cancel := context.WithCancel(e.t.Context())
	lease, err := l.Acquire(ctx, key)
	cancel()
	if err != nil {
		return err
	}
	e.leases = append(e.leases, lease)
	if err := e.refused(e.client(), key); err != nil {
		return fmt.Errorf("after the context of Acquire ended: %w", err)
	}
	select { // a lock that makes this mistake may make it in a goroutine
	case <-lease.Done():
		return fmt.Errorf("the lease ended with the context of Acquire: %w", lease.Err())
	case <-time.After(contextGrace):
	}
	return e.released(lease)
}

// contextGrace is how long a lease is watched after the context of its Acquire
// has ended.
const contextGrace = 10 * time.Millisecond

func cancelledWait(e *env) error {
	a, b, c := e.client(), e.client(), e.client()
	lease, err := e.acquire(a, key)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(e.t.Context())
	waiting := e.start(ctx, b, key)
	err = e.waits(1)
	cancel()
	if err := errors.Join(err, waiting.cancelled()); err != nil {
		return err
	}
	if lease.Err() != nil {
		return fmt.Errorf("the holder lost its lease to a waiter that gave up: %w", lease.Err())
	}
	// Whoever comes next must not have to wait for the one that has gone.
	if err := e.released(lease); err != nil {
		return err
	}
	var next lock.Lease
	err = e.eventually("the lock is free after a waiter has gone", e.caps.TTL/2, func() bool {
		next, err = c.TryAcquire(e.t.Context(), key)
		return err == nil
	})
	if err != nil {
		return err
	}
	return e.released(next)
}

func endedContext(e *env) error {
	l := e.client()
	ctx, cancel := context.WithCancel(e.t.Context())
	cancel()
	for name, acquire := range map[string]func(context.Context, string, ...lock.Option) (lock.Lease, error){
		"Acquire": l.Acquire, "TryAcquire": l.TryAcquire,
	} {
		lease, err := acquire(ctx, key)
		if err == nil {
			_ = lease.Release(context.WithoutCancel(ctx))
		}
		if err := wantErr(name+" with a context that has ended", err, context.Canceled); err != nil {
			return err
		}
	}
	return nil
}

func order(e *env) error {
	if e.backend.Waiting == nil {
		e.t.Skip("Backend.Waiting is not given")
	}
	lease, err := e.acquire(e.client(), key)
	if err != nil {
		return err
	}
	ctx, cancel := e.ctx()
	defer cancel()
	var line []*attempt
	for i := range 4 {
		line = append(line, e.start(ctx, e.client(), key))
		if err := e.waits(i + 1); err != nil {
			return err
		}
	}
	for i, next := range line {
		if err := e.released(lease); err != nil {
			return err
		}
		if err := next.granted(patience); err != nil {
			return fmt.Errorf("waiter %d, whose turn it was: %w", i+1, err)
		}
		lease = next.lease
	}
	return e.released(lease)
}
