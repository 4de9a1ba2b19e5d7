package zklock_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lockstep-sim/lockstep/impl/embedded/zk/state"
	"github.com/lockstep-sim/lockstep/impl/lock"
)

func TestReentryIsOneNodeAndNoRequest(t *testing.T) {
	inBubble(t, func(t *testing.T, w world) {
		p := w.process()
		outer := w.acquire(p, "k", lock.WithOwner("me"))
		var inner lock.Lease
		if got := w.requests(func() { inner = w.acquire(p, "k", lock.WithOwner("me")) }); len(got) != 0 {
			t.Errorf("re-entry made requests %v", got)
		}
		w.wantQueue("k", 1)
		one, _ := outer.Token()
		two, _ := inner.Token()
		if one != two {
			t.Errorf("tokens %d and %d, want the same", one, two)
		}
		other := w.begin(w.process(), "k")
		w.release(outer) // in either order
		if other.granted() || isDone(inner) {
			t.Fatal("the first release gave the lock away")
		}
		w.release(inner)
		if !other.granted() {
			t.Error("the last release did not give the lock away")
		}
	})
}

func TestWithoutAnOwnerASecondAcquireStandsBehindTheFirst(t *testing.T) {
	inBubble(t, func(t *testing.T, w world) {
		p := w.process()
		w.acquire(p, "k")
		if w.begin(p, "k").granted() {
			t.Error("a grant without an owner was entered again")
		}
		w.wantQueue("k", 2)
	})
}

func TestOwnersAndKeysAndProcessesAreApart(t *testing.T) {
	inBubble(t, func(t *testing.T, w world) {
		p, q := w.process(), w.process()
		w.acquire(p, "k", lock.WithOwner("me"))
		if w.begin(p, "k", lock.WithOwner("you")).granted() {
			t.Error("another owner got in")
		}
		if w.begin(q, "k", lock.WithOwner("me")).granted() {
			t.Error("the same owner in another process got in")
		}
		if !w.begin(p, "l", lock.WithOwner("me")).granted() {
			t.Error("another key was not free")
		}
	})
}

func TestOwnerThatStillWaitsIsJoinedLater(t *testing.T) {
	inBubble(t, func(t *testing.T, w world) {
		holder := w.acquire(w.process(), "k")
		p := w.process()
		first := w.begin(p, "k", lock.WithOwner("me"))
		again := w.begin(p, "k", lock.WithOwner("me"))
		w.wantQueue("k", 2)
		if _, err := p.TryAcquire(t.Context(), "k", lock.WithOwner("me")); !errors.Is(err, lock.ErrNotAcquired) {
			t.Errorf("try while the owner waits: %v, want ErrNotAcquired", err)
		}
		w.release(holder)
		if !first.granted() || !again.granted() {
			t.Fatalf("granted: %v and %v, want both", first.granted(), again.granted())
		}
		w.release(first.lease)
		w.release(again.lease)
		w.wantQueue("k", 0)
	})
}

func TestOwnerWhoseFirstAttemptFailsIsTriedAgain(t *testing.T) {
	inBubble(t, func(t *testing.T, w world) {
		holder := w.acquire(w.process(), "k")
		p := w.process()
		first := w.begin(p, "k", lock.WithOwner("me"))
		again := w.begin(p, "k", lock.WithOwner("me"))
		first.cancel()
		if _, err := first.result(); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %v", err)
		}
		synctest.Wait()
		w.wantQueue("k", 2)
		w.release(holder)
		if !again.granted() {
			t.Error("the second attempt did not take the place of the first")
		}
	})
}

func TestReentryAfterALossIsANewGrant(t *testing.T) {
	inBubble(t, func(t *testing.T, w world) {
		p := w.process()
		lost := w.acquire(p, "k", lock.WithOwner("me"))
		w.srv.Machine().ExpireSession(p.conn.Session().ID)
		<-lost.Done()
		next := w.acquire(p, "k", lock.WithOwner("me"))
		before, _ := lost.Token()
		after, _ := next.Token()
		if after <= before {
			t.Errorf("token %d after %d, want a larger one", after, before)
		}
		w.release(next)
	})
}

// A reentrant acquire whose first answer was lost must not count twice:
// redisson 4822.
func TestLostAnswerCountsOneHold(t *testing.T) {
	inBubble(t, func(t *testing.T, w world) {
		p := w.process()
		w.release(w.acquire(p, "k"))
		w.srv.SetFault(cutOnce(state.OpCreate))
		lease := w.acquire(p, "k", lock.WithOwner("me"))
		w.release(lease)
		w.wantQueue("k", 0)
		time.Sleep(sessionTimeout)
		w.wantQueue("k", 0)
	})
}
