package zklock_test

import (
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lockstep-sim/lockstep/impl/embedded/zk"
	"github.com/lockstep-sim/lockstep/impl/embedded/zk/state"
	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/zklock"
	"github.com/lockstep-sim/lockstep/impl/zklock/antipattern"
	"github.com/lockstep-sim/lockstep/impl/zklock/zkconn"
)

// locker is a lock.Locker that has to be closed.
type locker interface {
	lock.Locker
	Close() error
}

// wrong makes a lock of an antipattern in a process of its own.
func wrong[L locker](w world, make func(zkconn.Conn, zklock.Config) (L, error)) (L, *zk.Link) {
	w.Helper()
	link := w.srv.NewLink()
	l := must(make(w.dial(link), zklock.Config{}))
	w.Cleanup(func() { _ = l.Close() })
	return l, link
}

// Each antipattern has to fail in its own way, or it teaches nothing.

func TestHerdWatchWakesEverybody(t *testing.T) {
	inBubble(t, func(t *testing.T, w world) {
		const waiters = 10
		first, _ := wrong(w, antipattern.NewHerdWatch)
		holder := w.acquire(first, "k")
		for range waiters {
			l, _ := wrong(w, antipattern.NewHerdWatch)
			w.begin(l, "k")
		}
		got := w.requests(func() { w.release(holder) })
		if got[state.OpGetChildren2] != waiters {
			t.Errorf("%v after a release, want all %d waiters to list the queue", got, waiters)
		}
	})
}

func TestOneNodeWakesEverybodyAndServesInNoOrder(t *testing.T) {
	inBubble(t, func(t *testing.T, w world) {
		const waiters = 10
		first, _ := wrong(w, antipattern.NewOneNode)
		holder := w.acquire(first, "k")
		var attempts []*attempt
		for range waiters {
			l, _ := wrong(w, antipattern.NewOneNode)
			attempts = append(attempts, w.begin(l, "k"))
		}
		got := w.requests(func() { w.release(holder) })
		if got[state.OpMulti] != waiters {
			t.Errorf("%v after a release, want all %d waiters to try", got, waiters)
		}
		granted := 0
		for _, a := range attempts {
			if a.granted() {
				granted++
			}
		}
		if granted != 1 {
			t.Errorf("%d were granted the lock", granted)
		}
	})
}

func TestOneNodeGoesWithItsSession(t *testing.T) {
	inBubble(t, func(t *testing.T, w world) {
		first, link := wrong(w, antipattern.NewOneNode)
		second, _ := wrong(w, antipattern.NewOneNode)
		holder := w.acquire(first, "k")
		if _, err := second.TryAcquire(w.Context(), "k"); !errors.Is(err, lock.ErrNotAcquired) {
			t.Errorf("a second attempt gives %v", err)
		}
		next := w.begin(second, "k")
		link.Partition()
		if _, err := next.result(); err != nil || !isDone(holder) {
			t.Error("the node of a session that has ended keeps the next one out")
		}
	})
}

func TestOneNodeKnowsItsOwnAfterALostAnswer(t *testing.T) {
	inBubble(t, func(t *testing.T, w world) {
		l, _ := wrong(w, antipattern.NewOneNode)
		w.release(w.acquire(l, "k"))
		w.srv.SetFault(cutOnce(state.OpCreate))
		w.release(w.acquire(l, "k"))
		other, _ := wrong(w, antipattern.NewOneNode)
		w.release(w.acquire(other, "k"))
	})
}

func TestPredecessorGoneLetsInASecondHolder(t *testing.T) {
	inBubble(t, func(t *testing.T, w world) {
		l, _ := wrong(w, antipattern.NewPredecessorGone)
		holder := w.acquire(l, "k")
		b, c := w.begin(l, "k"), w.begin(l, "k")
		b.cancel()
		if !c.granted() || isDone(c.lease) || isDone(holder) {
			t.Error("there are not two holders")
		}
	})
}

func TestNumericOrderLetsInASecondHolder(t *testing.T) {
	for name, wrap := range map[string]state.Wrap{"numbers stick": state.WrapSticks, "numbers go on below zero": state.WrapSigned} {
		t.Run(name, func(t *testing.T) {
			inBubbleWith(t, zk.Options{Wrap: wrap}, func(t *testing.T, w world) {
				l, _ := wrong(w, antipattern.NewNumericOrder)
				w.release(w.acquire(l, "k"))
				if err := w.srv.Machine().SetCounter("/lockstep/k", 2147483647); err != nil {
					t.Fatal(err)
				}
				holder := w.acquire(l, "k")
				newcomer := w.begin(l, "k")
				if !newcomer.granted() || isDone(holder) {
					t.Error("the newcomer did not get in beside the holder")
				}
			})
		})
	}
}

func TestReplacedKeyMakesTwoKeysOne(t *testing.T) {
	inBubble(t, func(t *testing.T, w world) {
		l, _ := wrong(w, antipattern.NewReplacedKey)
		w.acquire(l, "a:b")
		if _, err := l.TryAcquire(t.Context(), "a-b"); !errors.Is(err, lock.ErrNotAcquired) {
			t.Errorf("the other key: %v, want it taken", err)
		}
	})
}

func TestWatchGapWaitsForEver(t *testing.T) {
	inBubble(t, func(t *testing.T, w world) {
		l, _ := wrong(w, antipattern.NewWatchGap)
		holder := w.acquire(w.process(), "k")
		var struck atomic.Bool
		w.srv.SetFault(func(_ int64, req state.Request) zk.Action {
			if req.Op == state.OpGetData && req.Watch && struck.CompareAndSwap(false, true) {
				w.release(holder)
			}
			return zk.Pass
		})
		next := w.begin(l, "k")
		time.Sleep(time.Hour)
		if !struck.Load() || next.granted() {
			t.Errorf("gap hit: %v, granted: %v; want a waiter that waits for ever", struck.Load(), next.granted())
		}
	})
}

func TestUnprotectedCreateLeavesAnOrphan(t *testing.T) {
	inBubble(t, func(t *testing.T, w world) {
		l, _ := wrong(w, antipattern.NewUnprotectedCreate)
		w.release(w.acquire(l, "k"))
		w.srv.SetFault(cutOnce(state.OpCreate))
		a := w.begin(l, "k")
		other := w.begin(w.process(), "k")
		time.Sleep(time.Hour)
		if a.granted() || other.granted() {
			t.Errorf("granted: its maker %v, another %v; want everybody behind the orphan", a.granted(), other.granted())
		}
		w.wantQueue("k", 3)
	})
}

func TestImmortalSessionBelievesBesideItsSuccessor(t *testing.T) {
	inBubble(t, func(t *testing.T, w world) {
		l, link := wrong(w, antipattern.NewImmortalSession)
		holder := w.acquire(l, "k")
		next := w.begin(w.process(), "k")
		link.Partition()
		time.Sleep(sessionTimeout + tick)
		if !next.granted() || isDone(holder) {
			t.Errorf("successor granted %v, holder done %v; want two believers", next.granted(), isDone(holder))
		}
		link.Heal()
		time.Sleep(time.Minute)
		if isDone(holder) {
			t.Error("the holder has noticed after all")
		}
	})
}
