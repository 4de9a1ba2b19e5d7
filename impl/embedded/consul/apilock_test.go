package consul

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/consul/api"
)

func TestLockOfTheClientExcludesAndHandsOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t, Options{})
		a, b := newAPILock(t, s), newAPILock(t, s)
		lostA, err := a.Lock(nil)
		if err != nil || lostA == nil {
			t.Fatalf("lock = %v, %v", lostA, err)
		}
		start := time.Now()
		go func() {
			time.Sleep(30 * time.Second) // longer than any TTL: renewed meanwhile
			if err := a.Unlock(); err != nil {
				t.Error(err)
			}
		}()
		if c, err := b.Lock(nil); err != nil || c == nil {
			t.Fatalf("second lock = %v, %v", c, err)
		}
		if got := time.Since(start); got != 30*time.Second {
			t.Errorf("second lock after %v, want 30 s", got)
		}
		if err := b.Unlock(); err != nil {
			t.Error(err)
		}
		if err := b.Destroy(); err != nil {
			t.Error(err)
		}
		synctest.Wait()
	})
}

func TestLockOfTheClientIsLostWithItsSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t, Options{})
		a, b := newAPILock(t, s), newAPILock(t, s)
		lost, err := a.Lock(nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.DestroySession(holder(t, s, "lock")); err != nil {
			t.Fatal(err)
		}
		<-lost
		start := time.Now()
		if c, err := b.Lock(nil); err != nil || c == nil {
			t.Fatalf("lock after the loss = %v, %v", c, err)
		}
		if got := time.Since(start); got < 15*time.Second || got > 20*time.Second {
			t.Errorf("lock after %v, want the lock-delay of 15 s and up to 5 s of polling", got)
		}
		if err := b.Unlock(); err != nil {
			t.Error(err)
		}
		_ = a.Unlock() // ends its goroutines; the lock is no longer its own
		synctest.Wait()
	})
}

func newAPILock(t *testing.T, s *Store) *api.Lock {
	t.Helper()
	l, err := clientOf(t, s).LockKey("lock")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestSemaphoreOfTheClientLimitsItsHolders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t, Options{})
		var sems []*api.Semaphore
		for range 3 {
			sem, err := clientOf(t, s).SemaphorePrefix("sem", 2)
			if err != nil {
				t.Fatal(err)
			}
			sems = append(sems, sem)
		}
		for _, sem := range sems[:2] {
			if c, err := sem.Acquire(nil); err != nil || c == nil {
				t.Fatalf("acquire = %v, %v", c, err)
			}
		}
		start := time.Now()
		go func() {
			time.Sleep(time.Minute)
			if err := sems[0].Release(); err != nil {
				t.Error(err)
			}
		}()
		if c, err := sems[2].Acquire(nil); err != nil || c == nil {
			t.Fatalf("third acquire = %v, %v", c, err)
		}
		if got := time.Since(start); got != time.Minute {
			t.Errorf("third acquire after %v, want a minute", got)
		}
		for _, sem := range sems[1:] {
			if err := sem.Release(); err != nil {
				t.Error(err)
			}
		}
		synctest.Wait()
		if err := sems[0].Destroy(); err != nil {
			t.Error(err)
		}
	})
}
