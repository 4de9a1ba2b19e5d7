package consullock

import (
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lockstep-sim/lockstep/impl/lock"
)

// acquired runs an Acquire in the background and reports when it was granted.
func acquired(t *testing.T, l lock.Locker, key string) <-chan time.Duration {
	t.Helper()
	start, c := time.Now(), make(chan time.Duration, 1)
	go func() {
		lease, err := l.Acquire(background, key)
		if err != nil {
			t.Errorf("acquire: %v", err)
		} else {
			c <- time.Since(start)
			mustRelease(t, lease)
		}
		close(c)
	}()
	return c
}

func TestDeadHolderIsReplacedAfterItsSessionAndTheLockDelay(t *testing.T) {
	for _, tc := range []struct {
		name  string
		cfg   Config
		after time.Duration // the end of the session
		stays bool          // the key does not go with it
	}{
		{"release", Config{}, lockDelay, true},
		{"delete", Config{Behavior: BehaviorDelete}, lockDelay, false},
		{"no lock-delay", Config{LockDelay: NoLockDelay}, 0, true},
		{"long lock-delay", Config{LockDelay: time.Minute}, time.Minute, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := newStore(t)
				a, b := newProcess(t, store, tc.cfg), newProcess(t, store, Config{})
				mustAcquire(t, a, "k")
				a.net.setDown(true)
				got := acquired(t, b, "k")

				time.Sleep(2*ttl - time.Millisecond)
				if e := keyAt(t, store, "k"); e == nil || e.Session == "" {
					t.Fatalf("before the end of the session the key is %+v", e)
				}
				time.Sleep(time.Millisecond)
				synctest.Wait()
				if e := keyAt(t, store, "k"); (e != nil) != tc.stays && tc.after > 0 {
					t.Errorf("at the end of the session the key is %+v", e)
				}
				earliest := 2*ttl + tc.after
				if d := <-got; d < earliest || d > earliest+delayPoll {
					t.Errorf("granted after %v, want %v and at most a poll more", d, earliest)
				}
				for range got {
				}
			})
		})
	}
}

func TestLockDelayCountsAsHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore(t)
		a, b := newProcess(t, store, Config{}), newProcess(t, store, Config{})
		lease := mustAcquire(t, a, "k")
		if err := store.DestroySession(keyAt(t, store, "k").Session); err != nil {
			t.Fatal(err)
		}
		mustBeTaken(t, b, "k")
		time.Sleep(lockDelay)
		mustRelease(t, mustAcquire(t, b, "k"))
		mustBeLost(t, lease)
	})
}

func TestHolderKnowsByItsLocalDeadlineWhenPacketsAreDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore(t)
		a := newProcess(t, store, Config{})
		a.net.latency = 100 * time.Millisecond
		start := time.Now()
		lease := mustAcquire(t, a, "k")
		time.Sleep(time.Until(start.Add(7 * time.Second)))
		a.net.setDown(true)
		<-lease.Done()
		// The last renewal that succeeded was sent after a third of the TTL.
		if d := time.Since(start); d != ttl/3+ttl {
			t.Errorf("done after %v, want %v", d, ttl/3+ttl)
		}
		if !errors.Is(lease.Err(), lock.ErrLost) || !errors.Is(lease.Err(), lock.ErrSessionExpired) {
			t.Errorf("error = %v", lease.Err())
		}
		if keyAt(t, store, "k").Session == "" {
			t.Error("the server gave the lock away before the holder knew")
		}
		a.net.setDown(false)
		mustBeLost(t, lease)
	})
}

func TestPassingErrorsOfTheRenewalDoNotEndTheLease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore(t)
		a := newProcess(t, store, Config{})
		lease := mustAcquire(t, a, "k")
		a.net.inject(fault{kind: renew, times: 3, before: cut})
		a.net.inject(fault{kind: renew, times: 2, answer: func(r *http.Response) { r.StatusCode = http.StatusInternalServerError }})
		time.Sleep(3 * ttl)
		mustRelease(t, lease)
	})
}

func TestHandleIsUsableAgainAfterItsSessionWasLostFromSight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore(t)
		a := newProcess(t, store, Config{})
		lease := mustAcquire(t, a, "k")
		old := keyAt(t, store, "k").Session
		a.net.inject(fault{kind: renew, times: 1000, before: cut}) // the session itself lives on
		<-lease.Done()

		start := time.Now()
		again := mustAcquire(t, a, "k")
		if e := keyAt(t, store, "k"); e.Session == old {
			t.Error("the session that was given up got another grant")
		}
		// The old session was destroyed, so nobody waits for its expiry.
		if d := time.Since(start); d < lockDelay || d > lockDelay+delayPoll {
			t.Errorf("granted after %v, want the lock-delay of %v", d, lockDelay)
		}
		mustRelease(t, again)
	})
}

func TestExpiredHolderCannotFreeItsSuccessor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore(t)
		a, b := newProcess(t, store, Config{}), newProcess(t, store, Config{})
		old := mustAcquire(t, a, "k")
		a.net.setDown(true)
		lease := mustAcquire(t, b, "k")
		a.net.setDown(false)
		mustBeLost(t, old)
		if e := keyAt(t, store, "k"); e == nil || string(e.Value) != lease.Owner() {
			t.Errorf("the key is %+v, want it to belong to %s", e, lease.Owner())
		}
		mustRelease(t, lease)
	})
}
