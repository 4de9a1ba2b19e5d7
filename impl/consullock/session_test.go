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

func TestDestroyedSessionEndsItsLeasesAndIsReplaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore(t)
		a := newProcess(t, store, Config{LockDelay: NoLockDelay})
		first, second := mustAcquire(t, a, "k"), mustAcquire(t, a, "l")
		start := time.Now()
		if err := store.DestroySession(keyAt(t, store, "k").Session); err != nil {
			t.Fatal(err)
		}
		<-first.Done()
		<-second.Done()
		if d := time.Since(start); d > ttl/3 {
			t.Errorf("noticed after %v, want at the next renewal", d)
		}
		if !errors.Is(first.Err(), lock.ErrSessionExpired) {
			t.Errorf("error = %v, want ErrSessionExpired", first.Err())
		}
		mustRelease(t, mustAcquire(t, a, "k"))
		mustBeLost(t, second)
	})
}

func TestSessionThatIsGoneAtTheAttemptIsReplaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore(t)
		a := newProcess(t, store, Config{LockDelay: NoLockDelay})
		lease := mustAcquire(t, a, "k")
		if err := store.DestroySession(keyAt(t, store, "k").Session); err != nil {
			t.Fatal(err)
		}
		a.net.requests()
		mustRelease(t, mustAcquire(t, a, "l"))
		if got, want := a.net.requests(), []string{take, create, take, free}; !slices.Equal(got, want) {
			t.Errorf("requests = %q, want %q", got, want)
		}
		if !errors.Is(lease.Err(), lock.ErrSessionExpired) {
			t.Errorf("the other lease: %v, want ErrSessionExpired", lease.Err())
		}
	})
}

func TestGrantsCanHaveTTLsOfTheirOwn(t *testing.T) {
	for _, tc := range []struct {
		name  string
		opt   lock.Option
		lives bool // past its TTL
	}{
		{"renewed", lock.WithTTL(time.Minute), true},
		{"fixed", lock.WithFixedLease(time.Minute), false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := newStore(t)
				a := newProcess(t, store, Config{})
				shared := mustAcquire(t, a, "l")
				start := time.Now()
				own := mustAcquire(t, a, "k", tc.opt)
				if d := own.Deadline().Sub(start); d != time.Minute {
					t.Errorf("deadline after %v, want a minute", d)
				}
				time.Sleep(time.Minute + time.Millisecond)
				synctest.Wait()
				if alive := own.Err() == nil; alive != tc.lives {
					t.Errorf("alive after its TTL = %v, want %v", alive, tc.lives)
				}
				if tc.lives {
					mustRelease(t, own)
				} else {
					mustBeLost(t, own)
				}
				mustRelease(t, shared)
				if list, _, _ := store.Sessions(background, consul.Query{}); len(list) != 1 {
					t.Errorf("%d sessions, want only the shared one", len(list))
				}
			})
		})
	}
}

func TestGrantWithItsOwnTTLIsGivenInFullAfterAWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore(t)
		a, b := newProcess(t, store, Config{}), newProcess(t, store, Config{})
		lease := mustAcquire(t, a, "k")
		time.AfterFunc(time.Hour, func() { mustRelease(t, lease) })
		own := mustAcquire(t, b, "k", lock.WithFixedLease(time.Minute))
		sessions := slices.DeleteFunc(b.net.requests(), func(kind string) bool { return kind != create })
		if len(sessions) != 1 {
			t.Errorf("%d sessions were created, want one once the lock was free", len(sessions))
		}
		if d := time.Until(own.Deadline()); d != time.Minute {
			t.Errorf("the lease lasts %v, want a minute", d)
		}
		mustRelease(t, own)
	})
}

func TestRenewByHand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore(t)
		a := newProcess(t, store, Config{})
		lease := mustAcquire(t, a, "k", lock.WithFixedLease(time.Minute))
		byHand := lease.(lock.Renewer)
		time.Sleep(50 * time.Second)
		if err := byHand.Renew(background); err != nil {
			t.Fatal(err)
		}
		if d := time.Until(lease.Deadline()); d != time.Minute {
			t.Errorf("the lease lasts another %v, want a minute", d)
		}
		if _, err := store.Do(api.KVTxnOp{Verb: api.KVDelete, Key: "k"}); err != nil {
			t.Fatal(err)
		}
		if err := byHand.Renew(background); !errors.Is(err, lock.ErrNotHeld) {
			t.Errorf("renew of a deleted key: %v, want ErrNotHeld", err)
		}
		if !errors.Is(lease.Err(), lock.ErrLost) {
			t.Errorf("error = %v, want ErrLost", lease.Err())
		}
		if err := byHand.Renew(background); !errors.Is(err, lock.ErrNotHeld) {
			t.Errorf("renew of a lost lease: %v, want ErrNotHeld", err)
		}

		lease = mustAcquire(t, a, "l")
		if err := store.DestroySession(keyAt(t, store, "l").Session); err != nil {
			t.Fatal(err)
		}
		err := lease.(lock.Renewer).Renew(background)
		if !errors.Is(err, lock.ErrNotHeld) || !errors.Is(err, lock.ErrSessionExpired) {
			t.Errorf("renew of a destroyed session: %v", err)
		}
	})
}

func TestOneSessionIsCreatedForAllWhoComeAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore(t)
		a := newProcess(t, store, Config{})
		a.net.latency = time.Second
		var all []<-chan time.Duration
		for _, key := range []string{"a", "b", "c"} {
			all = append(all, acquired(t, a, key))
		}
		for _, c := range all {
			for range c {
			}
		}
		got := slices.DeleteFunc(a.net.requests(), func(kind string) bool { return kind == renew })
		if want := []string{create, take, take, take, free, free, free}; !slices.Equal(got, want) {
			t.Errorf("requests = %q, want %q", got, want)
		}
	})
}

func TestFailureToCreateASessionIsToldToAllWhoWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newProcess(t, newStore(t), Config{})
		a.net.latency = time.Second
		a.net.inject(fault{kind: create, before: cut})
		failed := make(chan error)
		for range 3 {
			go func() {
				_, err := a.Acquire(background, "k")
				failed <- err
			}()
		}
		for range 3 {
			if err := <-failed; !errors.Is(err, lock.ErrNotAcquired) || !errors.Is(err, errCut) {
				t.Errorf("error = %v, want ErrNotAcquired and the cause", err)
			}
		}
		mustRelease(t, mustAcquire(t, a, "k"))
	})
}

func TestSharedSessionOutlivesTheAttemptThatCreatesIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore(t)
		a := newProcess(t, store, Config{})
		a.net.latency = time.Second
		ctx, cancel := context.WithTimeout(background, 500*time.Millisecond)
		defer cancel()
		if _, err := a.Acquire(ctx, "k"); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("acquire: %v, want the deadline", err)
		}
		if got := a.net.requests(); !slices.Equal(got, []string{create}) {
			t.Errorf("requests = %q, want only the creation", got)
		}
		mustRelease(t, mustAcquire(t, a, "k"))
		if got := a.net.requests(); slices.Contains(got, create) {
			t.Errorf("requests = %q, want no second session", got)
		}
	})
}

func TestGrantThatComesAfterTheEndOfItsSessionIsNotGivenOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore(t)
		a := newProcess(t, store, Config{})
		other := mustAcquire(t, a, "other")
		a.net.inject(fault{kind: renew, times: 1000, before: cut})
		time.Sleep(ttl - time.Second)
		slow := func(context.Context) error { time.Sleep(2 * time.Second); return nil }
		a.net.inject(fault{kind: take, after: slow})
		start := time.Now()
		lease := mustAcquire(t, a, "k")
		if d := time.Until(lease.Deadline()); lease.Err() != nil || d <= 0 {
			t.Errorf("a lease that ends in %v was given out: %v", d, lease.Err())
		}
		// The first grant was freed, not left to the end of its session.
		if d := time.Since(start); d > 2*time.Second {
			t.Errorf("granted after %v, want no lock-delay", d)
		}
		mustRelease(t, lease)
		mustBeLost(t, other)
	})
}
