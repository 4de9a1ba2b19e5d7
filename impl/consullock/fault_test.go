package consullock

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lockstep-sim/lockstep/impl/embedded/consul"
	"github.com/lockstep-sim/lockstep/impl/lock"
)

func TestLostAnswerToAGrantIsFoundOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for name, lose := range map[string]func(context.Context) error{"cut": cut, "silent": hang} {
			store := newStore(t)
			a := newProcess(t, store, Config{})
			a.net.inject(fault{kind: take, after: lose})
			lease, err := a.TryAcquire(background, "k")
			if err != nil {
				t.Fatalf("%s: %v, want the grant to be found", name, err)
			}
			if token, _ := lease.Token(); uint64(token) != keyAt(t, store, "k").ModifyIndex {
				t.Errorf("%s: token = %d, want the index of the key", name, token)
			}
			mustRelease(t, lease)
		}
	})
}

func TestLostRequestIsReportedAndLeavesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore(t)
		a := newProcess(t, store, Config{})
		a.net.inject(fault{kind: take, before: cut})
		_, err := a.Acquire(background, "k")
		if !errors.Is(err, lock.ErrNotAcquired) || !errors.Is(err, errCut) || errors.Is(err, lock.ErrUnknownOutcome) {
			t.Errorf("error = %v, want ErrNotAcquired with the cause", err)
		}
		mustBeClean(t, store)
		mustRelease(t, mustAcquire(t, a, "k"))
	})
}

func TestOutcomeIsUnknownOnlyWhenNothingAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore(t)
		a, b := newProcess(t, store, Config{}), newProcess(t, store, Config{})
		a.net.inject(fault{kind: take, after: func(context.Context) error {
			a.net.setDown(true)
			return errCut
		}})
		_, err := a.Acquire(background, "k")
		if !errors.Is(err, lock.ErrUnknownOutcome) || !errors.Is(err, lock.ErrNotAcquired) {
			t.Fatalf("error = %v, want ErrUnknownOutcome", err)
		}
		// The key was taken. Nothing renews its session, so it becomes free.
		a.net.setDown(false)
		start := time.Now()
		mustRelease(t, mustAcquire(t, b, "k"))
		if d := time.Since(start); d > 2*ttl+lockDelay+delayPoll {
			t.Errorf("the lock was free after %v", d)
		}
	})
}

func TestCancelledAttemptLeavesNothing(t *testing.T) {
	for _, tc := range []struct {
		name  string
		fault fault
	}{
		{"applied, answer lost", fault{kind: take, after: hang}},
		{"request lost", fault{kind: take, before: hang}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := newStore(t)
				a, b := newProcess(t, store, Config{}), newProcess(t, store, Config{})
				other := mustAcquire(t, a, "other") // its session stays in use
				a.net.inject(tc.fault)
				ctx, cancel := context.WithTimeout(background, time.Second)
				defer cancel()
				_, err := a.Acquire(ctx, "k")
				if !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, lock.ErrNotAcquired) {
					t.Fatalf("error = %v, want ErrNotAcquired and the deadline", err)
				}
				if e := keyAt(t, store, "k"); e != nil {
					t.Errorf("the key was left behind: %+v", e)
				}
				mustRelease(t, mustAcquire(t, b, "k"))
				mustRelease(t, other)
				if err := errors.Join(a.Close(), b.Close()); err != nil {
					t.Fatal(err)
				}
				mustBeClean(t, store)
			})
		})
	}
}

func TestRequestOfACancelledAttemptThatArrivesLateTakesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore(t)
		a := newProcess(t, store, Config{})
		late, arrived := make(chan struct{}), make(chan int)
		a.net.inject(fault{kind: take, late: late, arrived: arrived})
		ctx, cancel := context.WithTimeout(background, time.Second)
		defer cancel()
		if _, err := a.Acquire(ctx, "k"); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("acquire: %v, want the deadline", err)
		}
		close(late)
		if status := <-arrived; status != http.StatusConflict {
			t.Errorf("the late request got %d, want a refusal", status)
		}
		mustBeClean(t, store)
	})
}

func TestWaiterThatGivesUpLeavesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore(t)
		a, b := newProcess(t, store, Config{}), newProcess(t, store, Config{})
		lease := mustAcquire(t, a, "k")
		ctx, cancel := context.WithTimeout(background, 10*time.Second)
		defer cancel()
		start := time.Now()
		_, err := b.Acquire(ctx, "k")
		if !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, lock.ErrNotAcquired) {
			t.Errorf("error = %v, want ErrNotAcquired and the deadline", err)
		}
		if d := time.Since(start); d != 10*time.Second {
			t.Errorf("gave up after %v, want 10 s", d)
		}
		mustRelease(t, lease)
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
		if e := keyAt(t, store, "k"); e != nil {
			t.Errorf("the key was left behind: %+v", e)
		}
	})
}

func TestLostAnswerToAReleaseIsFoundOut(t *testing.T) {
	for name, f := range map[string]fault{
		"request": {kind: free, before: cut},
		"answer":  {kind: free, after: cut},
		"silent":  {kind: free, after: hang},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := newStore(t)
				a := newProcess(t, store, Config{})
				lease := mustAcquire(t, a, "k")
				a.net.inject(f)
				mustRelease(t, lease)
				if e := keyAt(t, store, "k"); e != nil {
					t.Errorf("the key was left behind: %+v", e)
				}
				mustBeLost(t, lease) // a second release finds it ended
			})
		})
	}
}

func TestReleaseThatArrivesLateDoesNotFreeTheNextGrant(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore(t)
		a := newProcess(t, store, Config{})
		lease := mustAcquire(t, a, "k")
		late, arrived := make(chan struct{}), make(chan int)
		a.net.inject(fault{kind: free, late: late, arrived: arrived})
		mustRelease(t, lease)          // by a second request
		next := mustAcquire(t, a, "k") // same process, same session
		close(late)
		if status := <-arrived; status != http.StatusConflict {
			t.Errorf("the late release got %d, want a refusal", status)
		}
		if e := keyAt(t, store, "k"); e == nil || string(e.Value) != next.Owner() {
			t.Errorf("the key is %+v, want it to belong to the next grant", e)
		}
		mustRelease(t, next)
	})
}

func TestFailedReleaseIsReportedAndTheKeyBecomesFree(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore(t)
		a, b := newProcess(t, store, Config{}), newProcess(t, store, Config{})
		lease := mustAcquire(t, a, "k")
		a.net.setDown(true)
		start := time.Now()
		if err := lease.Release(background); !errors.Is(err, lock.ErrUnknownOutcome) {
			t.Errorf("error = %v, want ErrUnknownOutcome", err)
		}
		if d := time.Since(start); d > 4*requestTimeout {
			t.Errorf("the release took %v", d)
		}
		if !errors.Is(lease.Err(), lock.ErrReleased) {
			t.Errorf("the lease goes on: %v", lease.Err())
		}
		a.net.setDown(false)
		a.net.requests()
		mustRelease(t, mustAcquire(t, b, "k"))
		if got := a.net.requests(); slices.Contains(got, renew) {
			t.Errorf("requests = %q, want no renewal", got)
		}
	})
}

func TestReleaseUnderACancelledContextFreesTheLock(t *testing.T) {
	store := newStore(t)
	a := newProcess(t, store, Config{})
	lease := mustAcquire(t, a, "k")
	ctx, cancel := context.WithCancel(background)
	cancel()
	if err := lease.Release(ctx); err != nil {
		t.Errorf("release: %v", err)
	}
	if e := keyAt(t, store, "k"); e != nil {
		t.Errorf("the key was left behind: %+v", e)
	}
}

func TestReleaseDuringARenewalDoesNotHang(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore(t)
		a := newProcess(t, store, Config{})
		lease := mustAcquire(t, a, "k", lock.WithTTL(time.Minute))
		a.net.inject(fault{kind: renew, before: hang})
		time.Sleep(21 * time.Second) // the renewal is under way
		mustRelease(t, lease)
		if list, _, _ := store.Sessions(background, consul.Query{}); len(list) != 0 {
			t.Errorf("sessions left behind: %v", list)
		}
	})
}

func TestNoRenewalIsSentOnceTheReleaseHasBegun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore(t)
		a := newProcess(t, store, Config{})
		lease := mustAcquire(t, a, "k", lock.WithTTL(time.Minute))
		time.Sleep(19 * time.Second) // the next renewal is due in a second
		a.net.inject(fault{kind: free, before: hang})
		a.net.requests()
		mustRelease(t, lease)
		if got, want := a.net.requests(), []string{free, read, free, destroy}; !slices.Equal(got, want) {
			t.Errorf("requests = %q, want %q", got, want)
		}
	})
}
