package etcdlock_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lockstep-sim/lockstep/impl/etcdlock"
	"github.com/lockstep-sim/lockstep/impl/lock"
)

func TestASessionWhoseGrantIsNotAnsweredIsUsedAllTheSame(t *testing.T) {
	w := newWorld(t)
	wire := newWire()
	l := w.locker(etcdlock.Config{}, wire.options()...)
	var sent atomic.Int32
	wire.onSend(func(ctx context.Context, method string, send func(context.Context) error) error {
		if method == "LeaseGrant" && sent.Add(1) == 1 {
			return answerLost(ctx, send)
		}
		return send(ctx)
	})
	lease := w.acquire(l, "k")
	if got := w.leases(); len(got) != 1 || got[0] != w.leaseOf(lease.EntryKey()) {
		t.Errorf("leases %v after %d requests for one, want the one in use", got, sent.Load())
	}
}

func TestASessionThatWasGivenUpIsRevoked(t *testing.T) {
	w := newWorld(t)
	wire := newWire()
	l := w.locker(etcdlock.Config{}, wire.options()...)
	ctx, cancel := context.WithCancel(t.Context())
	wire.onSend(func(ctx context.Context, method string, send func(context.Context) error) error {
		if method != "LeaseGrant" {
			return send(ctx)
		}
		defer cancel()
		return answerLost(ctx, send)
	})
	if _, err := l.Acquire(ctx, "k"); !errors.Is(err, context.Canceled) || !errors.Is(err, lock.ErrNotAcquired) {
		t.Errorf("Acquire = %v, want ErrNotAcquired and context.Canceled", err)
	}
	if got := w.leases(); len(got) != 0 {
		t.Errorf("leases left: %v", got)
	}
}

func TestAWaiterWhoseLeaseEndedIsNotGrantedTheLock(t *testing.T) {
	w := newWorld(t)
	holder := w.acquire(w.locker(etcdlock.Config{}), "k")
	b := w.enqueue(t.Context(), w.locker(etcdlock.Config{}), "k")
	for _, key := range w.keys("k/") {
		if key != holder.EntryKey() {
			w.revoke(w.leaseOf(key))
		}
	}
	w.release(holder)
	got := within(t, 5*time.Second, "the end of the wait", b)
	if got.lease != nil || !errors.Is(got.err, lock.ErrSessionExpired) || !errors.Is(got.err, lock.ErrNotAcquired) {
		t.Errorf("Acquire = %v, %v, want ErrNotAcquired and ErrSessionExpired", got.lease, got.err)
	}
}

func TestAWaiterLearnsOfTheEndOfItsSession(t *testing.T) {
	w := newWorld(t)
	holder := w.acquire(w.locker(etcdlock.Config{}), "k")
	b := w.enqueue(t.Context(), w.locker(etcdlock.Config{TTL: time.Second}), "k")
	for _, key := range w.keys("k/") {
		if key != holder.EntryKey() {
			w.revoke(w.leaseOf(key))
		}
	}
	got := within(t, 5*time.Second, "the end of the wait, with the lock still held", b)
	if !errors.Is(got.err, lock.ErrSessionExpired) {
		t.Errorf("Acquire = %v, want ErrSessionExpired", got.err)
	}
	if len(w.keys("k/")) != 1 {
		t.Errorf("queue holds %v", w.keys("k/"))
	}
}

func TestAnEndedSessionIsReplacedUnnoticed(t *testing.T) {
	w := newWorld(t)
	l := w.locker(etcdlock.Config{})
	a := w.acquire(l, "k")
	w.revoke(w.leaseOf(a.EntryKey())) // the Locker does not know yet
	b := w.acquire(l, "k")
	if err := a.Release(t.Context()); !errors.Is(err, lock.ErrNotHeld) {
		t.Errorf("Release of the lost lease = %v, want ErrNotHeld", err)
	}
	if !errors.Is(a.Err(), lock.ErrSessionExpired) {
		t.Errorf("the lost lease says %v, want ErrSessionExpired", a.Err())
	}
	w.release(b)
}

func TestARestartOfTheServerCostsNoLock(t *testing.T) {
	w := newWorld(t)
	a := w.acquire(w.locker(etcdlock.Config{}), "k")
	b := w.enqueue(t.Context(), w.locker(etcdlock.Config{}), "k")
	if err := w.server.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	if a.Err() != nil {
		t.Fatalf("the holder lost its lease: %v", a.Err())
	}
	w.release(a)
	got := within(t, 15*time.Second, "the grant after a restart", b)
	if got.err != nil {
		t.Fatal(got.err)
	}
	w.release(got.lease)
	if left := w.keys("k/"); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}
