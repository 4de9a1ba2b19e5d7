package lock_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/lockstep-sim/lockstep/impl/clock"
	"github.com/lockstep-sim/lockstep/impl/lock"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var bg = context.Background()

func newGrant(ttl time.Duration) *lock.Grant {
	clk := clock.Real()
	return lock.NewGrant(clk, lock.GrantInfo{
		Key: "k", Owner: "A#1", Token: 33, HasToken: true, Deadline: clk.Now().Add(ttl),
	})
}

func TestAGrantEndsAtItsDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		g := newGrant(time.Minute)
		if g.Err() != nil {
			t.Fatalf("over at once: %v", g.Err())
		}
		<-g.Done()
		if d := time.Since(start); d != time.Minute || !errors.Is(g.Err(), lock.ErrLost) {
			t.Errorf("ended after %v: %v", d, g.Err())
		}
		if token, ok := g.Token(); g.Key() != "k" || g.Owner() != "A#1" || token != 33 || !ok {
			t.Error("a grant forgets what it was granted for")
		}
	})
}

func TestExtensionMovesTheDeadlineForwardsOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		g := newGrant(time.Minute)
		if !g.Extend(start.Add(3 * time.Minute)) {
			t.Error("not extended")
		}
		if !g.Extend(start.Add(2*time.Minute)) || g.Deadline() != start.Add(3*time.Minute) {
			t.Errorf("moved back to %v", g.Deadline().Sub(start))
		}
		<-g.Done()
		if d := time.Since(start); d != 3*time.Minute {
			t.Errorf("ended after %v", d)
		}
	})
}

func TestAnEndedGrantIsNotRevived(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGrant(time.Minute)
		if !g.End(lock.ErrReleased) || g.End(lock.ErrLost) {
			t.Error("only the first end counts")
		}
		if g.Extend(time.Now().Add(time.Hour)) {
			t.Error("revived")
		}
		if !errors.Is(g.Err(), lock.ErrReleased) {
			t.Errorf("got %v", g.Err())
		}
	})
}

func TestAGrantWithoutDeadlineLastsUntilItIsEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := lock.NewGrant(clock.Real(), lock.GrantInfo{Key: "k"})
		time.Sleep(1000 * time.Hour) // virtual
		if g.Err() != nil {
			t.Errorf("ended: %v", g.Err())
		}
		g.End(lock.ErrSessionExpired)
		<-g.Done()
	})
}

func TestADeadlineInThePastEndsTheGrantAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGrant(-time.Second)
		<-g.Done()
		if !errors.Is(g.Err(), lock.ErrLost) {
			t.Errorf("got %v", g.Err())
		}
	})
}

func TestOnEndCallsOnceEvenIfItComesLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGrant(time.Minute)
		calls := 0
		g.OnEnd(func() { calls++ })
		g.End(lock.ErrReleased)
		g.End(lock.ErrReleased)
		g.OnEnd(func() { calls++ })
		if calls != 2 {
			t.Errorf("%d calls", calls)
		}
	})
}
