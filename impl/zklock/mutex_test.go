package zklock_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lockstep-sim/lockstep/impl/embedded/zk/state"
	"github.com/lockstep-sim/lockstep/impl/lock"
)

func TestUncontendedLockAndUnlockIsTwoAndOneRequests(t *testing.T) {
	inBubble(t, func(t *testing.T, w world) {
		p := w.process()
		w.release(w.acquire(p, "k")) // makes the parents
		var lease lock.Lease
		got := w.requests(func() { lease = w.acquire(p, "k") })
		if want := (map[state.Op]int{state.OpMulti: 1, state.OpGetChildren2: 1}); !maps.Equal(got, want) {
			t.Errorf("acquire made requests %v, want one multi (create) and one list", got)
		}
		got = w.requests(func() { w.release(lease) })
		if want := (map[state.Op]int{state.OpDelete: 1}); !maps.Equal(got, want) {
			t.Errorf("release made requests %v, want one delete", got)
		}
	})
}

func TestTokenIsTheTransactionThatMadeTheNode(t *testing.T) {
	inBubble(t, func(t *testing.T, w world) {
		p := w.process()
		lease := w.acquire(p, "k")
		token, ok := lease.Token()
		tree := w.srv.Machine().Tree()
		for _, n := range tree {
			if n.Stat.EphemeralOwner != 0 && lock.Token(n.Stat.Czxid) != token {
				t.Errorf("token %d, %v; the node's czxid is %d", token, ok, n.Stat.Czxid)
			}
		}
		w.release(lease)
		next, _ := w.acquire(p, "k").Token()
		if next <= token {
			t.Errorf("token %d after %d, want a larger one", next, token)
		}
	})
}

func TestOnlyOneHolderAtATime(t *testing.T) {
	inBubble(t, func(t *testing.T, w world) {
		var holders, worst, grants atomic.Int32
		done := make(chan struct{})
		for range 4 {
			p := w.process()
			for range 3 { // goroutines of one client exclude each other too
				go func() {
					defer func() { done <- struct{}{} }()
					for range 5 {
						lease := w.acquire(p, "k")
						worst.Store(max(worst.Load(), holders.Add(1)))
						time.Sleep(time.Millisecond)
						holders.Add(-1)
						grants.Add(1)
						w.release(lease)
					}
				}()
			}
		}
		for range 12 {
			<-done
		}
		if worst.Load() != 1 || grants.Load() != 60 {
			t.Errorf("%d holders at once, %d grants; want 1 and 60", worst.Load(), grants.Load())
		}
		w.wantQueue("k", 0)
	})
}

func TestWaitersAreServedInOrderAndWokenOneByOne(t *testing.T) {
	inBubble(t, func(t *testing.T, w world) {
		holder := w.acquire(w.process(), "k")
		var waiting []*attempt
		for range 10 {
			waiting = append(waiting, w.begin(w.process(), "k"))
		}
		for i, next := range waiting {
			got := w.requests(func() { w.release(holder) })
			want := map[state.Op]int{state.OpDelete: 1, state.OpGetChildren2: 1}
			if !maps.Equal(got, want) {
				t.Errorf("release %d made requests %v, want the delete and one look at the queue", i, got)
			}
			if !next.granted() {
				t.Fatalf("release %d did not let the next in line in", i)
			}
			if i+1 < len(waiting) && waiting[i+1].granted() {
				t.Fatalf("release %d let two in", i)
			}
			holder = next.lease
		}
	})
}

func TestWaiterInTheMiddleLeaves(t *testing.T) {
	inBubble(t, func(t *testing.T, w world) {
		a := w.acquire(w.process(), "k")
		b := w.begin(w.process(), "k")
		c := w.begin(w.process(), "k")
		b.cancel()
		if _, err := b.result(); !errors.Is(err, lock.ErrNotAcquired) || !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled waiter: %v, want ErrNotAcquired and the reason", err)
		}
		w.wantQueue("k", 2)
		if c.granted() {
			t.Fatal("the next one got the lock because its predecessor left")
		}
		w.release(a)
		if !c.granted() {
			t.Error("the next one was not woken by the holder's release")
		}
	})
}

func TestTryAcquireDoesNotWait(t *testing.T) {
	inBubble(t, func(t *testing.T, w world) {
		p, q := w.process(), w.process()
		lease, err := p.TryAcquire(t.Context(), "k")
		if err != nil {
			t.Fatalf("free lock: %v", err)
		}
		before := time.Now()
		if _, err := q.TryAcquire(t.Context(), "k"); !errors.Is(err, lock.ErrNotAcquired) {
			t.Errorf("held lock: %v, want ErrNotAcquired", err)
		}
		if waited := time.Since(before); waited != 0 {
			t.Errorf("waited %v", waited)
		}
		w.wantQueue("k", 1)
		w.release(lease)
	})
}

func TestReleaseIsForOnceAndForTheHolder(t *testing.T) {
	inBubble(t, func(t *testing.T, w world) {
		p := w.process()
		old := w.acquire(p, "k")
		w.release(old)
		current := w.acquire(p, "k")
		if err := old.Release(t.Context()); !errors.Is(err, lock.ErrNotHeld) {
			t.Errorf("second release: %v, want ErrNotHeld", err)
		}
		w.wantQueue("k", 1)
		if isDone(current) || old.Owner() == current.Owner() {
			t.Error("the old handle reached the new grant")
		}
		if !isDone(old) || !errors.Is(old.Err(), lock.ErrReleased) {
			t.Errorf("released lease: done %v, %v", isDone(old), old.Err())
		}
	})
}

func TestKeysStayApart(t *testing.T) {
	keys := []string{"a:b", "a-b", "a/b", "a%2Fb", "a b", "ä", ".", "..", "%2E", "a", "A", "zookeeper", "😀", "\x00"}
	inBubble(t, func(t *testing.T, w world) {
		p := w.process()
		for _, key := range keys {
			if _, err := p.TryAcquire(t.Context(), key); err != nil {
				t.Errorf("key %q: %v, want a lock of its own", key, err)
			}
		}
	})
}

func TestInvalidRequests(t *testing.T) {
	inBubble(t, func(t *testing.T, w world) {
		p := w.process()
		long := fmt.Sprintf("%01025d", 0)
		for name, err := range map[string]error{
			"empty key":      second(p.Acquire(t.Context(), "")),
			"long key":       second(p.Acquire(t.Context(), long)),
			"TTL":            second(p.Acquire(t.Context(), "k", lock.WithTTL(time.Second))),
			"fixed of zero":  second(p.Acquire(t.Context(), "k", lock.WithFixedLease(0))),
			"negative fixed": second(p.Acquire(t.Context(), "k", lock.WithFixedLease(-1))),
		} {
			if !errors.Is(err, lock.ErrInvalid) {
				t.Errorf("%s: %v, want ErrInvalid", name, err)
			}
		}
		if got := w.srv.Requests(); len(got) != 0 {
			t.Errorf("invalid requests reached the server: %v", got)
		}
	})
}

func TestCancelledContextSendsNothing(t *testing.T) {
	inBubble(t, func(t *testing.T, w world) {
		p := w.process()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		got := w.requests(func() {
			if _, err := p.Acquire(ctx, "k"); !errors.Is(err, context.Canceled) || !errors.Is(err, lock.ErrNotAcquired) {
				t.Errorf("acquire: %v", err)
			}
		})
		if len(got) != 0 {
			t.Errorf("requests: %v", got)
		}
	})
}

func TestFixedLeaseEndsByItselfAndFreesTheLock(t *testing.T) {
	inBubble(t, func(t *testing.T, w world) {
		p, q := w.process(), w.process()
		lease := w.acquire(p, "k", lock.WithFixedLease(25*time.Second))
		next := w.begin(q, "k")
		time.Sleep(25*time.Second - 1)
		if isDone(lease) || next.granted() {
			t.Fatal("the lease ended too early")
		}
		time.Sleep(1 * time.Nanosecond)
		if !next.granted() {
			t.Error("the lock is not free after the fixed lease")
		}
		if !isDone(lease) || !errors.Is(lease.Err(), lock.ErrLost) {
			t.Errorf("lease: done %v, %v", isDone(lease), lease.Err())
		}
		if err := lease.Release(t.Context()); !errors.Is(err, lock.ErrNotHeld) {
			t.Errorf("release after the end: %v, want ErrNotHeld", err)
		}
	})
}

func TestForgetDeletesTheNodeOfAKeyUnlessItIsInUse(t *testing.T) {
	inBubble(t, func(t *testing.T, w world) {
		p := w.process()
		lease := w.acquire(p, "k")
		if err := p.Forget(t.Context(), "k"); err == nil {
			t.Error("a key in use was forgotten")
		}
		w.release(lease)
		for range 2 {
			if err := p.Forget(t.Context(), "k"); err != nil {
				t.Error(err)
			}
		}
		for _, n := range w.srv.Machine().Tree() {
			if n.Path == "/lockstep/k" {
				t.Error("the node is still there")
			}
		}
		again := w.acquire(p, "k")
		before, _ := lease.Token()
		after, _ := again.Token()
		if after <= before {
			t.Errorf("token %d after %d", after, before)
		}
	})
}

func TestCloseEndsLeasesAndWaits(t *testing.T) {
	inBubble(t, func(t *testing.T, w world) {
		p, q := w.process(), w.process()
		held := w.acquire(p, "mine")
		theirs := w.acquire(q, "theirs")
		waiting := w.begin(p, "theirs")
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
		if !errors.Is(held.Err(), lock.ErrClosed) {
			t.Errorf("held lease ended with %v, want ErrClosed", held.Err())
		}
		if _, err := waiting.result(); !errors.Is(err, lock.ErrClosed) {
			t.Errorf("waiting attempt: %v, want ErrClosed", err)
		}
		w.wantQueue("mine", 0)
		w.wantQueue("theirs", 1)
		if _, err := p.Acquire(t.Context(), "k"); !errors.Is(err, lock.ErrClosed) {
			t.Errorf("acquire after Close: %v, want ErrClosed", err)
		}
		w.wantQueue("k", 0)
		w.release(theirs)
	})
}

func TestWaiterSeesAPredecessorThatGoesBeforeTheWatch(t *testing.T) {
	inBubble(t, func(t *testing.T, w world) {
		holder := w.acquire(w.process(), "k")
		var struck atomic.Bool
		w.srv.SetFault(func(_ int64, req state.Request) zkAction {
			if req.Op == state.OpGetData && req.Watch && struck.CompareAndSwap(false, true) {
				w.release(holder) // between the look and the watch
			}
			return pass
		})
		next := w.begin(w.process(), "k")
		if !struck.Load() || !next.granted() {
			t.Errorf("gap hit: %v, granted: %v; want both", struck.Load(), next.granted())
		}
	})
}

func TestForeignNodesBlockNobody(t *testing.T) {
	inBubble(t, func(t *testing.T, w world) {
		p := w.process()
		w.release(w.acquire(p, "k"))
		for _, name := range []string{"note", "lock-", "lock-7", "lock-x000000001", "lock-99999999999"} {
			if _, err := p.conn.Create(t.Context(), "/lockstep/k/"+name, persistent); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := p.TryAcquire(t.Context(), "k"); err != nil {
			t.Error(err)
		}
	})
}

func second[T any](_ T, err error) error { return err }
