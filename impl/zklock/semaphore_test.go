package zklock_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lockstep-sim/lockstep/impl/embedded/zk/state"
	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/zklock"
)

// semaphore makes one in a process of its own.
func (w world) semaphore(permits int) *zklock.Semaphore {
	w.Helper()
	s := must(zklock.NewSemaphore(w.dial(w.srv.NewLink()), permits, zklock.Config{}))
	w.Cleanup(func() { _ = s.Close() })
	return s
}

func TestSemaphoreGrantsAsManyAsItHas(t *testing.T) {
	inBubble(t, func(t *testing.T, w world) {
		var holders, worst, grants atomic.Int32
		done := make(chan struct{})
		for range 5 {
			s := w.semaphore(3)
			for range 2 {
				go func() {
					defer func() { done <- struct{}{} }()
					for range 4 {
						lease := w.acquire(s, "k")
						worst.Store(max(worst.Load(), holders.Add(1)))
						time.Sleep(time.Millisecond)
						holders.Add(-1)
						grants.Add(1)
						w.release(lease)
					}
				}()
			}
		}
		for range 10 {
			<-done
		}
		if worst.Load() != 3 || grants.Load() != 40 {
			t.Errorf("%d permits in use at once, %d grants; want 3 and 40", worst.Load(), grants.Load())
		}
		w.wantQueue("k", 0)
	})
}

func TestFreedPermitWakesOneWaiterWhicheverHolderFreedIt(t *testing.T) {
	for freed := range 3 {
		inBubble(t, func(t *testing.T, w world) {
			var held []lock.Lease
			for range 3 {
				held = append(held, w.acquire(w.semaphore(3), "k"))
			}
			var waiting []*attempt
			for range 4 {
				waiting = append(waiting, w.begin(w.semaphore(3), "k"))
			}
			got := w.requests(func() { w.release(held[freed]) })
			if !waiting[0].granted() || waiting[1].granted() {
				t.Fatalf("holder %d freed its permit: granted %v, %v; want the first waiter only",
					freed, waiting[0].granted(), waiting[1].granted())
			}
			// The next in line comes to the head of the queue; the others sleep on.
			if got[state.OpGetChildren2] > 4 {
				t.Errorf("holder %d: %v, want two looks at most by the first and the second", freed, got)
			}
			for i, l := range []lock.Lease{held[(freed+1)%3], held[(freed+2)%3], waiting[0].lease} {
				w.release(l)
				if !waiting[i+1].granted() {
					t.Fatalf("waiter %d was not woken", i+1)
				}
			}
		})
	}
}

func TestSeveralPermitsFreedAtOnce(t *testing.T) {
	inBubble(t, func(t *testing.T, w world) {
		s := w.semaphore(3)
		var held []lock.Lease
		for range 3 {
			held = append(held, w.acquire(s, "k"))
		}
		var waiting []*attempt
		for range 5 {
			waiting = append(waiting, w.begin(w.semaphore(3), "k"))
		}
		for _, l := range held {
			go func() { _ = l.Release(context.WithoutCancel(t.Context())) }()
		}
		time.Sleep(time.Second)
		for i, a := range waiting {
			if want := i < 3; a.granted() != want {
				t.Errorf("waiter %d: granted %v, want %v", i, a.granted(), want)
			}
		}
	})
}

func TestPermitOfADeadHolderIsFreedOnce(t *testing.T) {
	inBubble(t, func(t *testing.T, w world) {
		link := w.srv.NewLink()
		dead := must(zklock.NewSemaphore(w.dial(link), 2, zklock.Config{}))
		t.Cleanup(func() { _ = dead.Close() })
		w.acquire(dead, "k")
		w.acquire(w.semaphore(2), "k")
		one, two := w.begin(w.semaphore(2), "k"), w.begin(w.semaphore(2), "k")
		link.Partition()
		time.Sleep(sessionTimeout + tick)
		if !one.granted() || two.granted() {
			t.Errorf("granted %v and %v, want the first only", one.granted(), two.granted())
		}
	})
}

// A waiter that gives up after its node is made leaks no permit: curator 462.
func TestWaiterThatGivesUpLeaksNoPermit(t *testing.T) {
	inBubble(t, func(t *testing.T, w world) {
		held := w.acquire(w.semaphore(1), "k")
		one, two, three := w.begin(w.semaphore(1), "k"), w.begin(w.semaphore(1), "k"), w.begin(w.semaphore(1), "k")
		one.cancel()
		_, _ = one.result()
		two.cancel()
		_, _ = two.result()
		w.wantQueue("k", 2)
		w.release(held)
		if !three.granted() {
			t.Error("the permit is lost")
		}
	})
}

func TestSemaphoreTriesWithoutWaiting(t *testing.T) {
	inBubble(t, func(t *testing.T, w world) {
		s := w.semaphore(2)
		for range 2 {
			if _, err := s.TryAcquire(t.Context(), "k"); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := s.TryAcquire(t.Context(), "k"); !errors.Is(err, lock.ErrNotAcquired) {
			t.Errorf("third of two: %v", err)
		}
		if _, err := s.Acquire(t.Context(), "k", lock.WithOwner("me")); !errors.Is(err, lock.ErrInvalid) {
			t.Errorf("with an owner: %v, want ErrInvalid", err)
		}
		w.wantQueue("k", 2)
	})
}

func TestSemaphoreNeedsAPermit(t *testing.T) {
	for _, n := range []int{0, -1} {
		if _, err := zklock.NewSemaphore(nil, n, zklock.Config{}); !errors.Is(err, lock.ErrInvalid) {
			t.Errorf("%d permits: %v, want ErrInvalid", n, err)
		}
	}
}
