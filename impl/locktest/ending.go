package locktest

import (
	"errors"
	"fmt"
	"time"

	"github.com/lockstep-sim/lockstep/impl/lock"
)

// endsByItself waits for the end of a lease that nobody renews any more, which
// must come by the deadline that it had.
func (e *env) endsByItself(lease lock.Lease, limit time.Duration) error {
	timeout := time.NewTimer(limit)
	defer timeout.Stop()
	select {
	case <-lease.Done():
	case <-timeout.C:
		return fmt.Errorf("Done was not closed within %v", limit)
	}
	if errors.Is(lease.Err(), lock.ErrLost) || errors.Is(lease.Err(), lock.ErrSessionExpired) {
		return nil
	}
	return fmt.Errorf("Err = %v, want %q or %q", lease.Err(), lock.ErrLost, lock.ErrSessionExpired)
}

// late is how much later than its deadline a lease may notice, since timers of a
// busy machine are late.
func (e *env) late() time.Duration { return e.caps.TTL + e.caps.TTL/2 + time.Second }

func expiry(e *env) error {
	a, b := e.client(), e.client()
	begin := time.Now()
	lease, err := e.acquire(a, key, lock.WithFixedLease(e.caps.TTL))
	if err != nil {
		return err
	}
	if d := lease.Deadline(); d.IsZero() || d.After(time.Now().Add(e.caps.TTL)) {
		return fmt.Errorf("the deadline of a lease of %v is %v after the request", e.caps.TTL, d.Sub(begin))
	}
	ctx, cancel := e.ctx()
	defer cancel()
	next := e.start(ctx, b, key)
	if err := e.endsByItself(lease, e.late()); err != nil {
		return err
	}
	if err := next.granted(e.caps.TTL + e.caps.grace() + e.late()); err != nil {
		return fmt.Errorf("after a lease without renewal: %w", err)
	}
	if next.at.Before(lease.Deadline()) {
		return fmt.Errorf("the lock was passed on %v before the deadline of its holder", lease.Deadline().Sub(next.at))
	}
	return e.released(next.lease)
}

func lateRelease(e *env) error {
	a, b := e.client(), e.client()
	lease, err := e.acquire(a, key, lock.WithFixedLease(e.caps.TTL))
	if err != nil {
		return err
	}
	if err := e.endsByItself(lease, e.late()); err != nil {
		return err
	}
	next, err := e.acquire(b, key)
	if err != nil {
		return err
	}
	if err := wantErr("Release of a lease that has ended", lease.Release(e.t.Context()), lock.ErrNotHeld); err != nil {
		return err
	}
	if err := e.refused(a, key); err != nil {
		return fmt.Errorf("after the late release of the one before: %w", err)
	}
	return e.released(next)
}

func renewal(e *env) error {
	lease, err := e.acquire(e.client(), key)
	if err != nil {
		return err
	}
	held := time.NewTimer(3*e.caps.TTL + e.caps.TTL/2)
	defer held.Stop()
	first := lease.Deadline()
	select {
	case <-held.C:
	case <-lease.Done():
		return fmt.Errorf("a lease that should be renewed ended: %w", lease.Err())
	}
	if !e.caps.Unbounded && !lease.Deadline().After(first) {
		return errors.New("renewal did not move the deadline")
	}
	if err := e.refused(e.client(), key); err != nil {
		return fmt.Errorf("after more than three TTLs of renewal: %w", err)
	}
	return e.released(lease)
}

func crashedHolder(e *env) error {
	a, crash := e.mortal()
	b := e.client()
	lease, err := e.acquire(a, key)
	if err != nil {
		return err
	}
	crash()
	ctx, cancel := e.ctx()
	defer cancel()
	next := e.start(ctx, b, key)
	if err := next.granted(e.caps.TTL + e.caps.grace() + e.late()); err != nil {
		return fmt.Errorf("after its holder crashed: %w", err)
	}
	if d := lease.Deadline(); !d.IsZero() && next.at.Before(d) {
		return fmt.Errorf("the lock was passed on %v before the crashed holder's deadline", d.Sub(next.at))
	}
	// A crashed client may be alive on its side, so its lease must end there.
	if err := e.endsByItself(lease, e.late()); err != nil {
		return fmt.Errorf("on the side of the crashed holder: %w", err)
	}
	if err := lease.Release(e.t.Context()); !errors.Is(err, lock.ErrNotHeld) {
		return fmt.Errorf("Release of the crashed holder = %v, want %q", err, lock.ErrNotHeld)
	}
	return e.released(next.lease)
}

func crashedWaiter(e *env) error {
	a, c := e.client(), e.client()
	b, crash := e.mortal()
	lease, err := e.acquire(a, key)
	if err != nil {
		return err
	}
	ctx, cancel := e.ctx()
	defer cancel()
	dead := e.start(ctx, b, key)
	if err := e.waits(1); err != nil {
		return err
	}
	crash()
	next := e.start(ctx, c, key)
	if err := e.released(lease); err != nil {
		return err
	}
	if err := next.granted(e.caps.TTL + e.caps.grace() + e.late()); err != nil {
		return fmt.Errorf("behind a waiter that crashed: %w", err)
	}
	cancel()
	<-dead.done
	if dead.err == nil {
		return errors.New("a crashed waiter was granted the lock")
	}
	return e.released(next.lease)
}

func tokens(e *env) error {
	clients := []lock.Locker{e.client(), e.client()}
	var last lock.Token
	for i := range 6 {
		lease, err := e.acquire(clients[i%2], key)
		if err != nil {
			return err
		}
		token, ok := lease.Token()
		if !ok {
			return errors.New("a lease has no token")
		}
		if token <= last {
			return fmt.Errorf("token %d came after %d", token, last)
		}
		last = token
		if err := e.released(lease); err != nil {
			return err
		}
	}
	return nil
}

func noTokens(e *env) error {
	lease, err := e.acquire(e.client(), key)
	if err != nil {
		return err
	}
	if token, ok := lease.Token(); ok {
		return fmt.Errorf("a lease has token %d, but Fencing is not declared", token)
	}
	return e.released(lease)
}
