package locktest

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/lockstep-sim/lockstep/impl/lock"
)

// wantErr expects an error of a kind.
func wantErr(what string, err, want error) error {
	if !errors.Is(err, want) {
		return fmt.Errorf("%s = %v, want %q", what, err, want)
	}
	return nil
}

// refused expects that the lock is not to be had now. A lease that is granted
// all the same is given back.
func (e *env) refused(l lock.Locker, key string, opts ...lock.Option) error {
	ctx, cancel := e.ctx()
	defer cancel()
	lease, err := l.TryAcquire(ctx, key, opts...)
	if err == nil {
		_ = lease.Release(ctx)
		return fmt.Errorf("TryAcquire(%q) was granted a lock that another holds", key)
	}
	return wantErr("TryAcquire of a lock that another holds", err, lock.ErrNotAcquired)
}

// ended says whether Done is closed.
func ended(lease lock.Lease) bool {
	select {
	case <-lease.Done():
		return true
	default:
		return false
	}
}

func oneLease(e *env) error {
	lease, err := e.acquire(e.client(), key)
	if err != nil {
		return err
	}
	deadline := lease.Deadline()
	switch {
	case lease.Key() != key:
		return fmt.Errorf("Key = %q, want %q", lease.Key(), key)
	case lease.Err() != nil || ended(lease):
		return fmt.Errorf("a new lease has ended: %v", lease.Err())
	case e.caps.Unbounded != deadline.IsZero():
		return fmt.Errorf("Deadline = %v, but Unbounded is %v", deadline, e.caps.Unbounded)
	case !deadline.IsZero() && time.Until(deadline) > e.caps.TTL:
		return fmt.Errorf("Deadline is %v ahead, more than the TTL of %v", time.Until(deadline), e.caps.TTL)
	}
	if err := e.released(lease); err != nil {
		return err
	}
	if !ended(lease) {
		return errors.New("Done is open after the release")
	}
	if err := wantErr("Err after the release", lease.Err(), lock.ErrReleased); err != nil {
		return err
	}
	return wantErr("a second Release", lease.Release(e.t.Context()), lock.ErrNotHeld)
}

func owners(e *env) error {
	l := e.client()
	seen := map[string]bool{"": true}
	for range 3 {
		lease, err := e.acquire(l, key)
		if err != nil {
			return err
		}
		if seen[lease.Owner()] {
			return fmt.Errorf("owner %q is empty or that of an earlier grant", lease.Owner())
		}
		seen[lease.Owner()] = true
		if err := e.released(lease); err != nil {
			return err
		}
	}
	return nil
}

func exclusion(e *env) error {
	a, b := e.client(), e.client()
	lease, err := e.acquire(a, key)
	if err != nil {
		return err
	}
	for _, l := range []lock.Locker{a, b} {
		if err := e.refused(l, key); err != nil {
			return err
		}
	}
	other, err := e.acquire(b, key+":other")
	if err != nil {
		return fmt.Errorf("while another key is held: %w", err)
	}
	return e.released(lease, other)
}

func releaseTwice(e *env) error {
	lease, err := e.acquire(e.client(), key)
	if err != nil {
		return err
	}
	ctx, cancel := e.ctx()
	defer cancel()
	results := make(chan error, 2)
	for range 2 {
		go func() { results <- lease.Release(ctx) }()
	}
	first, second := <-results, <-results
	if first != nil {
		first, second = second, first
	}
	if first != nil || !errors.Is(second, lock.ErrNotHeld) {
		return fmt.Errorf("two releases of one lease returned %v and %v, want nil and %q", first, second, lock.ErrNotHeld)
	}
	return nil
}

func invalidRequests(e *env) error {
	l := e.client()
	ctx, cancel := e.ctx()
	defer cancel()
	lease, err := l.Acquire(ctx, "")
	if err == nil {
		_ = lease.Release(ctx)
	}
	if err := wantErr("Acquire with an empty key", err, lock.ErrInvalid); err != nil || e.caps.Reentrant {
		return err
	}
	if lease, err = l.TryAcquire(ctx, key, lock.WithOwner("me")); err == nil {
		_ = lease.Release(ctx)
	}
	return wantErr("TryAcquire with an owner, of a lock that is not reentrant", err, lock.ErrInvalid)
}

func reentry(e *env) error {
	a, b := e.client(), e.client()
	me, you := lock.WithOwner("locktest-me"), lock.WithOwner("locktest-you")
	outer, err := e.acquire(a, key, me)
	if err != nil {
		return err
	}
	inner, err := e.acquire(a, key, me)
	if err != nil {
		return fmt.Errorf("re-entry: %w", err)
	}
	x, _ := outer.Token()
	if y, _ := inner.Token(); x != y {
		return fmt.Errorf("re-entry changed the token from %d to %d", x, y)
	}
	for _, lease := range []lock.Lease{inner, outer} {
		if err := e.refused(b, key, you); err != nil {
			return err
		}
		if err := e.released(lease); err != nil {
			return err
		}
	}
	lease, err := e.acquire(b, key, you)
	if err != nil {
		return fmt.Errorf("after the last release: %w", err)
	}
	return e.released(lease)
}

// goroutines compares how many there are before and after many leases and
// waits. What is made once, such as a session, comes with the first of them.
func goroutines(e *env) error {
	const rounds, slack = 30, 10
	a, b := e.client(), e.client()
	cycle := func() error {
		lease, err := e.acquire(a, key)
		if err != nil {
			return err
		}
		ctx, cancel := context.WithCancel(e.t.Context())
		waiting := e.start(ctx, b, key)
		runtime.Gosched() // so that some of them get as far as to wait
		cancel()
		if err := waiting.cancelled(); err != nil {
			return err
		}
		return e.released(lease)
	}
	before := 0
	for i := range 2 * rounds {
		if i == rounds {
			before = runtime.NumGoroutine()
		}
		if err := cycle(); err != nil {
			return err
		}
	}
	now := 0
	if err := e.eventually("", patience, func() bool { now = runtime.NumGoroutine(); return now < before+slack }); err != nil {
		return fmt.Errorf("%d goroutines became %d over %d leases and waits", before, now, rounds)
	}
	return nil
}
