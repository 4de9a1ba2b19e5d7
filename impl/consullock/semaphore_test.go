package consullock

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/consul/api"

	"github.com/lockstep-sim/lockstep/impl/embedded/consul"
	"github.com/lockstep-sim/lockstep/impl/lock"
)

// limited is one program that uses the semaphore.
type limited struct {
	*Semaphore
	net *network
}

func newLimited(t *testing.T, store *consul.Store, limit int) limited {
	t.Helper()
	client, n := newClient(t, store)
	s, err := NewSemaphore(client, limit, Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		n.setDown(false)
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return limited{s, n}
}

func TestSemaphoreGrantsItsLimitAndNotMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore(t)
		a, b := newLimited(t, store, 3), newLimited(t, store, 3)
		leases := []lock.Lease{mustAcquire(t, a, "k"), mustAcquire(t, a, "k"), mustAcquire(t, b, "k")}
		mustBeTaken(t, a, "k")
		mustBeTaken(t, b, "k")
		tokens := make(map[lock.Token]bool)
		for _, l := range leases {
			token, _ := l.Token()
			tokens[token] = true
		}
		if len(tokens) != 3 {
			t.Errorf("tokens = %v, want three different ones", tokens)
		}
		mustRelease(t, leases[1])
		leases[1] = mustAcquire(t, b, "k")
		mustBeTaken(t, a, "k")
		for _, l := range leases {
			mustRelease(t, l)
		}
		if err := errors.Join(a.Close(), b.Close()); err != nil {
			t.Fatal(err)
		}
		mustBeClean(t, store)
	})
}

func TestOnePermitFreedWakesExactlyOneWaiter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore(t)
		a, b := newLimited(t, store, 2), newLimited(t, store, 2)
		first, second := mustAcquire(t, a, "k"), mustAcquire(t, a, "k")
		got := make(chan lock.Lease)
		for range 2 {
			go func() { got <- mustAcquire(t, b, "k") }()
		}
		synctest.Wait()
		mustRelease(t, first)
		lease := <-got
		select {
		case <-got:
			t.Error("one permit was given to two waiters")
		case <-time.After(5 * time.Minute):
		}
		mustRelease(t, second)
		mustRelease(t, <-got)
		mustRelease(t, lease)
	})
}

func TestPermitOfADeadHolderComesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore(t)
		a, b := newLimited(t, store, 2), newLimited(t, store, 2)
		mustAcquire(t, a, "k")
		kept := mustAcquire(t, b, "k")
		a.net.setDown(true)
		start := time.Now()
		lease := mustAcquire(t, b, "k")
		earliest := 2*ttl + lockDelay
		if d := time.Since(start); d < earliest || d > earliest+delayPoll {
			t.Errorf("the permit came back after %v, want %v", d, earliest)
		}
		mustRelease(t, lease)
		mustRelease(t, kept)
	})
}

func TestSemaphoreDoesNotWaitForADelayedPermitWhileAnotherIsFree(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore(t)
		a, b := newLimited(t, store, 2), newLimited(t, store, 2)
		mustAcquire(t, a, "k")
		sessions, _, _ := store.Sessions(background, consul.Query{})
		if err := store.DestroySession(sessions[0].ID); err != nil {
			t.Fatal(err)
		}
		lease, err := b.TryAcquire(background, "k")
		if err != nil {
			t.Fatal(err)
		}
		mustBeTaken(t, b, "k")
		mustRelease(t, lease)
	})
}

func TestWaiterForAPermitThatGivesUpLeavesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore(t)
		a, b := newLimited(t, store, 1), newLimited(t, store, 1)
		lease := mustAcquire(t, a, "k")
		b.net.inject(fault{kind: take, after: hang})
		ctx, cancel := context.WithTimeout(background, time.Minute)
		defer cancel()
		time.AfterFunc(time.Minute-time.Second, func() { mustRelease(t, lease) })
		if _, err := b.Acquire(ctx, "k"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("acquire: %v, want the deadline", err)
		}
		mustRelease(t, mustAcquire(t, a, "k"))
		if err := errors.Join(a.Close(), b.Close()); err != nil {
			t.Fatal(err)
		}
		mustBeClean(t, store)
	})
}

func TestSemaphoresMustAgreeOnTheLimit(t *testing.T) {
	store := newStore(t)
	a, b := newLimited(t, store, 2), newLimited(t, store, 3)
	lease := mustAcquire(t, a, "k")
	if _, err := b.Acquire(background, "k"); !errors.Is(err, lock.ErrInvalid) {
		t.Errorf("acquire under another limit: %v, want ErrInvalid", err)
	}
	mustRelease(t, lease)
	mustRelease(t, mustAcquire(t, b, "k"))
}

func TestUncontendedPermitIsTwoRequestsAndOne(t *testing.T) {
	a := newLimited(t, newStore(t), 2)
	mustRelease(t, mustAcquire(t, a, "k"))
	a.net.requests()
	mustRelease(t, mustAcquire(t, a, "k"))
	if got, want := a.net.requests(), []string{read, take, free}; !slices.Equal(got, want) {
		t.Errorf("requests = %q, want %q", got, want)
	}
}

func TestSemaphoreIgnoresOtherKeysBelowItsName(t *testing.T) {
	store := newStore(t)
	a := newLimited(t, store, 1)
	for _, key := range []string{"k/notes", "k/0/notes"} {
		if _, err := store.Do(api.KVTxnOp{Verb: api.KVSet, Key: key}); err != nil {
			t.Fatal(err)
		}
	}
	mustRelease(t, mustAcquire(t, a, "k"))
}

func TestLimitsThatCannotWorkAreRefused(t *testing.T) {
	client, _ := newClient(t, newStore(t))
	for _, limit := range []int{-1, 0, maxLimit + 1} {
		if _, err := NewSemaphore(client, limit, Config{}); !errors.Is(err, lock.ErrInvalid) {
			t.Errorf("limit %d: %v, want ErrInvalid", limit, err)
		}
	}
}
