package etcdlock_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/lockstep-sim/lockstep/impl/etcdlock"
	"github.com/lockstep-sim/lockstep/impl/lock"
)

func TestALeaseIsRenewedBeyondItsTTL(t *testing.T) {
	w := newWorld(t)
	lease := w.acquire(w.locker(etcdlock.Config{TTL: time.Second}), "k")
	first := lease.Deadline()
	w.eventually("three renewals", func() bool { return lease.Deadline().Sub(first) > time.Second })
	if lease.Err() != nil {
		t.Errorf("lease ended: %v", lease.Err())
	}
	w.release(lease)
}

func TestDoneClosesByTheLocalDeadlineWhenRenewalsAreLost(t *testing.T) {
	w := newWorld(t)
	wire := newWire()
	l := w.locker(etcdlock.Config{TTL: time.Second}, wire.options()...)
	lease := w.acquire(l, "k")
	wire.onOpen(func(method string) error {
		if method == "LeaseKeepAlive" {
			return errCut
		}
		return nil
	})
	next := w.enqueue(t.Context(), w.locker(etcdlock.Config{}), "k")
	got := within(t, 10*time.Second, "the next grant, by the expiry of the lease", next)
	if got.err != nil {
		t.Fatal(got.err)
	}
	if early := time.Until(lease.Deadline()); early > 0 {
		t.Errorf("the lock was passed on %v before the holder's deadline", early)
	}
	within(t, 5*time.Second, "Done", lease.Done())
	if !errors.Is(lease.Err(), lock.ErrLost) {
		t.Errorf("the lease says %v, want ErrLost", lease.Err())
	}
	if err := lease.Release(t.Context()); !errors.Is(err, lock.ErrNotHeld) {
		t.Errorf("Release = %v, want ErrNotHeld", err)
	}
}

func TestAPassingRenewalErrorIsRetried(t *testing.T) {
	w := newWorld(t)
	wire := newWire()
	l := w.locker(etcdlock.Config{TTL: time.Second}, wire.options()...)
	lease := w.acquire(l, "k")
	first := lease.Deadline()
	wire.reset()
	failures := make(chan struct{}, 2)
	wire.onOpen(func(method string) error {
		select {
		case failures <- struct{}{}:
			return errCut
		default:
			return nil
		}
	})
	w.eventually("a renewal after two that failed", func() bool { return lease.Deadline().After(first) })
	if len(failures) != 2 || lease.Err() != nil {
		t.Errorf("%d renewals failed, the lease says %v", len(failures), lease.Err())
	}
}

func TestAnExpiredHolderCannotReleaseItsSuccessor(t *testing.T) {
	w := newWorld(t)
	a := w.acquire(w.locker(etcdlock.Config{}), "k")
	w.revoke(w.leaseOf(a.EntryKey()))
	b := w.acquire(w.locker(etcdlock.Config{}), "k")
	if err := a.Release(t.Context()); !errors.Is(err, lock.ErrNotHeld) {
		t.Errorf("Release after expiry = %v, want ErrNotHeld", err)
	}
	if keys := w.keys("k/"); len(keys) != 1 || keys[0] != b.EntryKey() {
		t.Errorf("queue holds %v, want the successor's key", keys)
	}
	w.release(b)
}

func TestALostSessionEndsItsLeasesAtTheNextRenewal(t *testing.T) {
	w := newWorld(t)
	l := w.locker(etcdlock.Config{TTL: time.Second})
	a, b := w.acquire(l, "a"), w.acquire(l, "b")
	w.revoke(w.leaseOf(a.EntryKey()))
	for _, lease := range []lock.Lease{a, b} {
		within(t, 5*time.Second, "Done", lease.Done())
		if !errors.Is(lease.Err(), lock.ErrSessionExpired) {
			t.Errorf("the lease on %s says %v, want ErrSessionExpired", lease.Key(), lease.Err())
		}
	}
}

func TestADeletedKeyEndsItsLeaseOnly(t *testing.T) {
	w := newWorld(t)
	l := w.locker(etcdlock.Config{TTL: time.Second})
	a, b := w.acquire(l, "a"), w.acquire(l, "b")
	if _, err := w.client.Delete(t.Context(), a.EntryKey()); err != nil {
		t.Fatal(err)
	}
	within(t, 5*time.Second, "Done", a.Done())
	if !errors.Is(a.Err(), lock.ErrLost) {
		t.Errorf("the lease says %v, want ErrLost", a.Err())
	}
	if b.Err() != nil {
		t.Errorf("the other lease ended: %v", b.Err())
	}
	w.release(b)
}

func TestReleaseTwice(t *testing.T) {
	w := newWorld(t)
	lease := w.acquire(w.locker(etcdlock.Config{}), "k")
	w.release(lease)
	if err := lease.Release(t.Context()); !errors.Is(err, lock.ErrNotHeld) {
		t.Errorf("second Release = %v, want ErrNotHeld", err)
	}
}

func TestAFixedLeaseIsNotRenewedAndPassesOn(t *testing.T) {
	w := newWorld(t)
	l := w.locker(etcdlock.Config{})
	begun := time.Now()
	a := w.acquire(l, "k", lock.WithFixedLease(300*time.Millisecond))
	if d := a.Deadline().Sub(begun); d > 400*time.Millisecond {
		t.Errorf("deadline %v from now, want about 300ms", d)
	}
	b := w.enqueue(t.Context(), l, "k")
	within(t, 2*time.Second, "Done", a.Done())
	if !errors.Is(a.Err(), lock.ErrLost) {
		t.Errorf("the lease says %v, want ErrLost", a.Err())
	}
	if err := a.Release(t.Context()); !errors.Is(err, lock.ErrNotHeld) {
		t.Errorf("Release = %v, want ErrNotHeld", err)
	}
	if got := within(t, 5*time.Second, "the next grant", b); got.err != nil {
		t.Error(got.err)
	}
}

func TestAFixedLeaseCountsFromItsGrant(t *testing.T) {
	w := newWorld(t)
	l := w.locker(etcdlock.Config{})
	a := w.acquire(l, "k")
	asked := time.Now()
	b := w.enqueue(t.Context(), l, "k", lock.WithFixedLease(time.Second))
	// The wait is longer than the lease: it is renewed while it waits.
	w.eventually("a wait of 1.5s", func() bool { return time.Since(asked) > 1500*time.Millisecond })
	granted := time.Now()
	w.release(a)
	got := within(t, 5*time.Second, "the grant", b)
	if got.err != nil {
		t.Fatal(got.err)
	}
	if left := got.lease.Deadline().Sub(granted); left < 900*time.Millisecond || left > 4*time.Second {
		t.Errorf("lease ends %v after the grant, want about 1s", left)
	}
	within(t, 3*time.Second, "Done", got.lease.Done())
}

func TestAnOwnTTLTakesALeaseOfItsOwnAndGivesItBack(t *testing.T) {
	w := newWorld(t)
	l := w.locker(etcdlock.Config{})
	w.release(w.acquire(l, "opens the session"))
	before := len(w.leases())
	a := w.acquire(l, "k", lock.WithTTL(3*time.Second))
	if d := time.Until(a.Deadline()); d > 3*time.Second || d < 2*time.Second {
		t.Errorf("deadline in %v, want 3s", d)
	}
	if got := len(w.leases()); got != before+1 {
		t.Errorf("%d leases, want %d", got, before+1)
	}
	if _, err := l.TryAcquire(t.Context(), "k", lock.WithTTL(3*time.Second)); !errors.Is(err, lock.ErrNotAcquired) {
		t.Errorf("TryAcquire = %v", err)
	}
	w.release(a)
	if got := len(w.leases()); got != before {
		t.Errorf("%d leases after the release, want %d", got, before)
	}
}

func TestRenewByHand(t *testing.T) {
	w := newWorld(t)
	l := w.locker(etcdlock.Config{})
	lease := w.acquire(l, "k", lock.WithFixedLease(2*time.Second))
	first := lease.Deadline()
	if err := lease.Renew(t.Context()); err != nil || !lease.Deadline().After(first) {
		t.Errorf("Renew = %v, deadline went from %v to %v", err, first, lease.Deadline())
	}
	if _, err := w.client.Delete(t.Context(), lease.EntryKey()); err != nil {
		t.Fatal(err)
	}
	if err := lease.Renew(t.Context()); !errors.Is(err, lock.ErrNotHeld) {
		t.Errorf("Renew without a key = %v, want ErrNotHeld", err)
	}
	if lease.Err() == nil {
		t.Error("the lease goes on after a renewal that found it lost")
	}
	expired := w.acquire(l, "k")
	w.revoke(w.leaseOf(expired.EntryKey()))
	if err := expired.Renew(t.Context()); !errors.Is(err, lock.ErrNotHeld) {
		t.Errorf("Renew without a session = %v, want ErrNotHeld", err)
	}
	if err := expired.Renew(t.Context()); !errors.Is(err, lock.ErrNotHeld) {
		t.Errorf("Renew of an ended lease = %v, want ErrNotHeld", err)
	}
}

func TestCloseEndsEverything(t *testing.T) {
	w := newWorld(t)
	other := w.acquire(w.locker(etcdlock.Config{}), "held by another")
	before := len(w.leases())
	l := w.locker(etcdlock.Config{})
	shared := w.acquire(l, "a")
	own := w.acquire(l, "b", lock.WithTTL(5*time.Second))
	waiting := w.enqueue(t.Context(), l, "held by another")
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	for _, lease := range []lock.Lease{shared, own} {
		if err := lease.Err(); !errors.Is(err, lock.ErrClosed) || !errors.Is(err, lock.ErrSessionExpired) {
			t.Errorf("the lease on %s says %v, want ErrSessionExpired and ErrClosed", lease.Key(), err)
		}
	}
	if got := within(t, 5*time.Second, "the end of the wait", waiting); !errors.Is(got.err, lock.ErrClosed) {
		t.Errorf("the waiting Acquire = %v, want ErrClosed", got.err)
	}
	if _, err := l.Acquire(t.Context(), "a"); !errors.Is(err, lock.ErrClosed) {
		t.Errorf("Acquire after Close = %v, want ErrClosed", err)
	}
	if keys := w.keys(""); len(keys) != 1 || keys[0] != other.EntryKey() {
		t.Errorf("keys left: %v, want the other's only", keys)
	}
	if got := len(w.leases()); got != before {
		t.Errorf("%d leases left, want %d", got, before)
	}
	if err := l.Close(); err != nil {
		t.Errorf("second Close = %v", err)
	}
}

func TestDoStopsTheWorkWhenTheLeaseEnds(t *testing.T) {
	w := newWorld(t)
	l := w.locker(etcdlock.Config{TTL: time.Second})
	err := lock.Do(t.Context(), l, "k", func(ctx context.Context) error {
		w.revoke(w.leaseOf(w.keys("k/")[0]))
		within(t, 5*time.Second, "the end of the work", ctx.Done())
		return context.Cause(ctx)
	})
	if !errors.Is(err, lock.ErrSessionExpired) || !errors.Is(err, lock.ErrNotHeld) {
		t.Errorf("Do = %v, want the loss and ErrNotHeld", err)
	}
}
