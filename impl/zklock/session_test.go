package zklock_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lockstep-sim/lockstep/impl/embedded/zk"
	"github.com/lockstep-sim/lockstep/impl/embedded/zk/state"
	"github.com/lockstep-sim/lockstep/impl/lock"
)

func TestDisconnectingIsNotLosing(t *testing.T) {
	inBubble(t, func(t *testing.T, w world) {
		p := w.process()
		lease := w.acquire(p, "k")
		waiter := w.begin(w.process(), "k")
		for range 20 {
			p.link.Cut()
			time.Sleep(3 * time.Second)
		}
		if isDone(lease) || waiter.granted() {
			t.Fatalf("lease done %v (%v), second grant %v", isDone(lease), lease.Err(), waiter.granted())
		}
		w.release(lease)
		if !waiter.granted() {
			t.Error("the waiter was not woken")
		}
	})
}

func TestHolderThatIsCutOffStopsBeforeTheServerGivesItUp(t *testing.T) {
	inBubble(t, func(t *testing.T, w world) {
		p := w.process()
		lease := w.acquire(p, "k")
		waiter := w.begin(w.process(), "k")
		time.Sleep(time.Minute)
		p.link.Partition()
		cut := time.Now()
		<-lease.Done()
		synctest.Wait()
		if waiter.granted() {
			t.Fatal("the next one was let in before the holder knew")
		}
		if !errors.Is(lease.Err(), lock.ErrLost) || time.Now().After(cut.Add(sessionTimeout)) {
			t.Errorf("ended with %v after %v, want lost within %v", lease.Err(), time.Since(cut), sessionTimeout)
		}
		if _, err := waiter.result(); err != nil {
			t.Fatal(err)
		}
		if late := time.Since(cut); late > sessionTimeout+tick {
			t.Errorf("the next one waited %v, want at most a session timeout and a tick", late)
		}
		p.link.Heal()
		if err := lease.Release(t.Context()); !errors.Is(err, lock.ErrNotHeld) {
			t.Errorf("release: %v, want ErrNotHeld", err)
		}
		time.Sleep(time.Minute)
		w.wantQueue("k", 1)
		w.acquire(p, "other") // the client goes on with a new session
	})
}

// The local deadline has passed, and the session turns out to live: the node of
// the lost lease must not keep everybody out.
func TestNodeOfALostLeaseIsRemovedWhenTheSessionLivesOn(t *testing.T) {
	inBubbleWith(t, zk.Options{Tick: 10 * time.Second, MinTimeout: time.Second}, func(t *testing.T, w world) {
		p := w.process()
		lease := w.acquire(p, "k")
		time.Sleep(64 * time.Second) // the last contact is well before the server's next look at its sessions
		p.link.Partition()
		<-lease.Done()
		w.wantQueue("k", 1)
		session := p.conn.Session().ID
		p.link.Heal()
		time.Sleep(3 * time.Second)
		if p.conn.Session().ID != session {
			t.Fatal("the session did not live on, the test shows nothing")
		}
		w.wantQueue("k", 0)
	})
}

func TestSessionExpiryEndsTheLeases(t *testing.T) {
	inBubble(t, func(t *testing.T, w world) {
		p := w.process()
		one, two := w.acquire(p, "one"), w.acquire(p, "two", lock.WithOwner("me"))
		again := w.acquire(p, "two", lock.WithOwner("me"))
		w.srv.Machine().ExpireSession(p.conn.Session().ID)
		for _, l := range []lock.Lease{one, two, again} {
			<-l.Done()
			if !errors.Is(l.Err(), lock.ErrSessionExpired) {
				t.Errorf("%s ended with %v, want ErrSessionExpired", l.Key(), l.Err())
			}
			if err := l.Release(t.Context()); !errors.Is(err, lock.ErrNotHeld) {
				t.Errorf("release %s: %v, want ErrNotHeld", l.Key(), err)
			}
		}
		w.release(w.acquire(p, "one")) // in a new session
	})
}

func TestSessionThatExpiresInTheQueue(t *testing.T) {
	inBubble(t, func(t *testing.T, w world) {
		holder := w.acquire(w.process(), "k")
		p := w.process()
		b := w.begin(p, "k")
		c := w.begin(w.process(), "k")
		w.srv.Machine().ExpireSession(p.conn.Session().ID)
		if _, err := b.result(); !errors.Is(err, lock.ErrSessionExpired) || !errors.Is(err, lock.ErrNotAcquired) {
			t.Errorf("waiter: %v, want ErrSessionExpired", err)
		}
		if c.granted() {
			t.Error("the one behind was let in beside the holder")
		}
		w.release(holder)
		if !c.granted() {
			t.Error("the one behind was not let in after the holder")
		}
	})
}

func TestReleaseAfterAnUnnoticedExpirySparesTheSuccessor(t *testing.T) {
	inBubble(t, func(t *testing.T, w world) {
		p := w.process()
		lease := w.acquire(p, "k")
		next := w.begin(w.process(), "k")
		p.link.Partition() // so that p does not hear of it
		w.srv.Machine().ExpireSession(p.conn.Session().ID)
		if !next.granted() {
			t.Fatal("the next one was not let in")
		}
		p.link.Heal()
		if err := lease.Release(t.Context()); !errors.Is(err, lock.ErrNotHeld) {
			t.Errorf("release: %v, want ErrNotHeld", err)
		}
		w.wantQueue("k", 1)
		if isDone(next.lease) {
			t.Error("the successor lost its lock")
		}
	})
}

// A session that ends while the create is under way: the node that it made is
// not the one of the session that asks later (CURATOR-498).
func TestNodeOfAFormerSessionIsNotOurs(t *testing.T) {
	inBubble(t, func(t *testing.T, w world) {
		p := w.process()
		w.release(w.acquire(p, "k"))
		former := p.conn.Session().ID
		w.srv.SetFault(cutAfterCreateAndExpire(w, former))
		lease := w.acquire(p, "k")
		w.wantQueue("k", 1)
		for _, n := range w.srv.Machine().Tree() {
			if o := n.Stat.EphemeralOwner; o != 0 && o != p.conn.Session().ID {
				t.Errorf("the lock is held by the node of session %#x, now it is %#x", o, p.conn.Session().ID)
			}
		}
		if p.conn.Session().ID == former {
			t.Fatal("the session did not end, the test shows nothing")
		}
		w.release(lease)
	})
}

func cutAfterCreateAndExpire(w world, session int64) zk.Fault {
	once := zk.Once(state.OpCreate, zk.CutAfter)
	struck := false
	return func(s int64, req state.Request) zk.Action {
		if a := once(s, req); a != zk.Pass {
			struck = true
			return a
		}
		if struck { // the first request after the reconnect
			struck = false
			w.srv.Machine().ExpireSession(session)
			return zk.CutBefore
		}
		return zk.Pass
	}
}

func TestDeadlineCountsFromBeforeTheRequest(t *testing.T) {
	inBubble(t, func(t *testing.T, w world) {
		p := w.process()
		before := time.Now()
		lease := w.acquire(p, "k")
		if got := lease.Deadline().Sub(before); got != sessionTimeout {
			t.Errorf("deadline %v after the request, want the session timeout of %v", got, sessionTimeout)
		}
		renewer := lease.(lock.Renewer)
		time.Sleep(time.Second)
		if err := renewer.Renew(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := lease.Deadline().Sub(before); got != sessionTimeout+time.Second {
			t.Errorf("deadline %v after the start, want it renewed", got)
		}
		w.release(lease)
		if err := renewer.Renew(t.Context()); !errors.Is(err, lock.ErrNotHeld) {
			t.Errorf("renew after the release: %v, want ErrNotHeld", err)
		}
	})
}

func TestNoRenewalAfterTheRelease(t *testing.T) {
	inBubble(t, func(t *testing.T, w world) {
		p := w.process()
		lease := w.acquire(p, "k")
		time.Sleep(time.Minute)
		w.release(lease)
		got := w.requests(func() { time.Sleep(time.Minute) })
		if len(got) != 0 {
			t.Errorf("requests after the release: %v, want none but pings", got)
		}
	})
}

func TestLeaseOutlivesManyTimeoutsWhileRenewed(t *testing.T) {
	inBubble(t, func(t *testing.T, w world) {
		p := w.process()
		lease := w.acquire(p, "k")
		got := w.requests(func() { time.Sleep(10 * sessionTimeout) })
		if isDone(lease) {
			t.Fatalf("ended with %v", lease.Err())
		}
		if got[state.OpSync] < 29 || got[state.OpSync] > 31 {
			t.Errorf("%d renewals in ten timeouts, want three in each", got[state.OpSync])
		}
		w.release(lease)
	})
}
