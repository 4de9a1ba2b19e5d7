package zklock_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lockstep-sim/lockstep/impl/embedded/zk"
	"github.com/lockstep-sim/lockstep/impl/embedded/zk/state"
	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/zklock/zkconn"
)

// A create that was carried out, with only the answer lost, must not leave an
// orphan that blocks everybody: ZOOKEEPER-1262.
func TestLostAnswerToTheCreateLeavesOneNode(t *testing.T) {
	for name, action := range map[string]zk.Action{"carried out": zk.CutAfter, "not carried out": zk.CutBefore} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, w world) {
				p := w.process()
				w.release(w.acquire(p, "k"))
				w.srv.SetFault(zk.Once(state.OpCreate, action))
				lease := w.acquire(p, "k")
				w.wantQueue("k", 1)
				w.release(lease)
				w.wantQueue("k", 0)
			})
		})
	}
}

func TestLostAnswerWhileWaitingKeepsThePlaceInTheQueue(t *testing.T) {
	for _, op := range []state.Op{state.OpGetChildren2, state.OpGetData} {
		inBubble(t, func(t *testing.T, w world) {
			holder := w.acquire(w.process(), "k")
			w.srv.SetFault(zk.Once(op, zk.CutAfter))
			b := w.begin(w.process(), "k")
			time.Sleep(5 * time.Second)
			c := w.begin(w.process(), "k")
			w.release(holder)
			if !b.granted() || c.granted() {
				t.Errorf("op %d: granted b %v, c %v; want the first in line only", op, b.granted(), c.granted())
			}
		})
	}
}

func TestLostAnswerToTheDeleteIsARelease(t *testing.T) {
	for name, action := range map[string]zk.Action{"carried out": zk.CutAfter, "not carried out": zk.CutBefore} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, w world) {
				p := w.process()
				lease := w.acquire(p, "k")
				w.srv.SetFault(zk.Once(state.OpDelete, action))
				w.release(lease)
				w.wantQueue("k", 0)
			})
		})
	}
}

// A release that is repeated after a lost answer must not touch what the same
// client has locked since: etcd 22082.
func TestRepeatedReleaseSparesTheNewerLock(t *testing.T) {
	inBubble(t, func(t *testing.T, w world) {
		p := w.process()
		old := w.acquire(p, "k")
		var newer *attempt
		w.srv.SetFault(func(_ int64, req state.Request) zk.Action {
			if req.Op != state.OpDelete || newer != nil {
				return zk.Pass
			}
			newer = start(p, "k")
			return zk.CutAfter
		})
		w.release(old)
		if !newer.granted() {
			t.Fatal("the newer attempt did not get the lock")
		}
		w.wantQueue("k", 1)
		if isDone(newer.lease) {
			t.Error("the newer lease ended with the old release")
		}
	})
}

func TestReleaseWithoutAServerSaysSoAndIsMadeGoodLater(t *testing.T) {
	inBubble(t, func(t *testing.T, w world) {
		p := w.process()
		lease := w.acquire(p, "k")
		p.link.Partition()
		if err := lease.Release(t.Context()); !errors.Is(err, lock.ErrUnknownOutcome) {
			t.Errorf("release: %v, want ErrUnknownOutcome", err)
		}
		if !isDone(lease) {
			t.Error("the lease goes on after its release")
		}
		w.wantQueue("k", 1)
		p.link.Heal() // in time for the session to live on
		time.Sleep(8 * time.Second)
		w.wantQueue("k", 0)
	})
}

// Applied, and given up before the answer came.
func TestCancelledWhileTheCreateIsUnderWay(t *testing.T) {
	inBubble(t, func(t *testing.T, w world) {
		p := w.process()
		w.release(w.acquire(p, "k"))
		ctx, cancel := context.WithCancel(t.Context())
		w.srv.SetFault(func(_ int64, req state.Request) zk.Action {
			if req.Has(state.OpCreate) {
				cancel()
				letOthersRun()
			}
			return zk.Pass
		})
		_, err := p.Acquire(ctx, "k")
		if !errors.Is(err, lock.ErrNotAcquired) || !errors.Is(err, context.Canceled) || errors.Is(err, lock.ErrUnknownOutcome) {
			t.Errorf("acquire: %v; want not acquired, with a known outcome", err)
		}
		w.wantQueue("k", 0)
	})
}

func TestCancelledWithoutAServerIsCleanedUpLater(t *testing.T) {
	inBubble(t, func(t *testing.T, w world) {
		holder := w.acquire(w.process(), "k")
		p := w.process()
		b := w.begin(p, "k")
		c := w.begin(w.process(), "k")
		p.link.Partition()
		b.cancel()
		if _, err := b.result(); !errors.Is(err, lock.ErrUnknownOutcome) || !errors.Is(err, lock.ErrNotAcquired) {
			t.Errorf("cancelled: %v, want ErrNotAcquired and ErrUnknownOutcome", err)
		}
		p.link.Heal()
		time.Sleep(8 * time.Second)
		w.wantQueue("k", 2)
		w.release(holder)
		if !c.granted() {
			t.Error("the one behind does not get the lock")
		}
	})
}

func TestQueueDeletedUnderThoseWhoWait(t *testing.T) {
	inBubble(t, func(t *testing.T, w world) {
		p, admin := w.process(), w.process()
		holder := w.acquire(p, "k")
		waiter := w.begin(w.process(), "k")
		w.deleteQueue(admin)
		if _, err := waiter.result(); !errors.Is(err, lock.ErrNotAcquired) || !errors.Is(err, lock.ErrLost) {
			t.Errorf("waiter: %v, want ErrNotAcquired and ErrLost", err)
		}
		time.Sleep(sessionTimeout / 3) // until the next renewal
		synctest.Wait()
		if !isDone(holder) || !errors.Is(holder.Err(), lock.ErrLost) {
			t.Errorf("holder: done %v, %v; want lost", isDone(holder), holder.Err())
		}
		if err := holder.Release(t.Context()); !errors.Is(err, lock.ErrNotHeld) {
			t.Errorf("release: %v, want ErrNotHeld", err)
		}
	})
}

func TestReleaseOfADeletedNodeIsNotHeld(t *testing.T) {
	inBubble(t, func(t *testing.T, w world) {
		p, admin := w.process(), w.process()
		lease := w.acquire(p, "k")
		w.deleteQueue(admin)
		if err := lease.Release(t.Context()); !errors.Is(err, lock.ErrNotHeld) {
			t.Errorf("release: %v, want ErrNotHeld", err)
		}
	})
}

func TestParentDeletedBetweenEnsureAndCreate(t *testing.T) {
	inBubble(t, func(t *testing.T, w world) {
		p, admin := w.process(), w.process()
		var deletions atomic.Int32
		w.srv.SetFault(func(_ int64, req state.Request) zk.Action {
			if req.Op == state.OpMulti && deletions.Load() < 3 {
				for _, path := range []string{"/lockstep/k", "/lockstep"} {
					if admin.conn.Delete(t.Context(), path) == nil {
						deletions.Add(1)
					}
				}
			}
			return zk.Pass
		})
		lease := w.acquire(p, "k")
		if deletions.Load() < 3 {
			t.Errorf("the parents were deleted %d times, want 3", deletions.Load())
		}
		w.release(lease)
	})
}

func TestServerRestartKeepsTheLock(t *testing.T) {
	inBubble(t, func(t *testing.T, w world) {
		holder := w.acquire(w.process(), "k")
		waiter := w.begin(w.process(), "k")
		w.srv.Stop()
		time.Sleep(3 * time.Second)
		if err := w.srv.Restart(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		if isDone(holder) || waiter.granted() {
			t.Fatalf("after a restart: lease done %v (%v), second grant %v", isDone(holder), holder.Err(), waiter.granted())
		}
		w.release(holder)
		if !waiter.granted() {
			t.Error("the waiter was not woken after the restart")
		}
	})
}

func TestNoServerForTooLongEndsTheAttempt(t *testing.T) {
	inBubble(t, func(t *testing.T, w world) {
		holder := w.acquire(w.process(), "k")
		waiter := w.begin(w.process(), "k")
		w.srv.Stop()
		before := time.Now()
		_, err := waiter.result()
		if !errors.Is(err, lock.ErrNotAcquired) || !errors.Is(err, zkconn.ErrDisconnected) {
			t.Errorf("waiter: %v, want ErrNotAcquired and the lost connection", err)
		}
		if after := time.Since(before); after > 4*sessionTimeout {
			t.Errorf("gave up after %v", after)
		}
		<-holder.Done()
		if !errors.Is(holder.Err(), lock.ErrLost) {
			t.Errorf("holder: %v, want ErrLost", holder.Err())
		}
	})
}
