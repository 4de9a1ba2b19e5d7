package engine

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/lockstep-sim/lockstep/impl/embedded/zk/state"
	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/zklock/zkconn"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// withFake runs a test with an engine on a fake connection, in virtual time.
func withFake(t *testing.T, f func(t *testing.T, e *Engine, conn *fake)) {
	synctest.Test(t, func(t *testing.T) {
		m := state.New(state.Options{})
		t.Cleanup(m.Suspend)
		conn := newFake(t, m)
		e, err := New(conn, Config{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(e.Close)
		f(t, e, conn)
	})
}

var exclusive = Ask{Kind: Exclusive, Turn: Mutex{}, Reentrant: true}

func acquire(ctx context.Context, e *Engine) (*Lease, error) {
	l, err := e.Acquire(ctx, exclusive, "k", nil)
	if err != nil {
		return nil, err
	}
	return l.(*Lease), nil
}

func nodes(m *state.Machine) (out []state.Node) {
	for _, n := range m.Tree() {
		if strings.HasPrefix(n.Path, "/lockstep/k/") {
			out = append(out, n)
		}
	}
	return out
}

// lose makes the next n requests of a kind fail, carried out or not.
func (f *fake) lose(op state.Op, n int, carriedOut bool, then func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.hook = func(got state.Op) (bool, error) {
		if got != op || n == 0 {
			return true, nil
		}
		if n--; n == 0 && then != nil {
			defer then()
		}
		return carriedOut, zkconn.ErrDisconnected
	}
}

// A node of a former session is listed and has the ticket's id: the server has
// not ended that session yet (CURATOR-498).
func TestNodeOfAFormerSessionIsRemovedAndNotUsed(t *testing.T) {
	withFake(t, func(t *testing.T, e *Engine, conn *fake) {
		l := must(acquire(t.Context(), e))
		if err := l.Release(t.Context()); err != nil {
			t.Fatal(err)
		}
		conn.lose(state.OpCreate, 1, true, nil)
		var former int64
		e.Find = func(ctx context.Context, tk *Ticket) (bool, error) {
			if former == 0 {
				former = conn.Session().ID
				conn.newSession(t)
			}
			return e.find(ctx, tk)
		}
		l = must(acquire(t.Context(), e))
		got := nodes(conn.m)
		if len(got) != 1 || got[0].Stat.EphemeralOwner != conn.Session().ID || former == conn.Session().ID {
			t.Errorf("nodes %+v, session %#x, the former %#x; want one node of the session", got, conn.Session().ID, former)
		}
		if token, _ := l.Token(); uint64(token) != uint64(got[0].Stat.Czxid) {
			t.Errorf("token %d, node %d", token, got[0].Stat.Czxid)
		}
	})
}

func TestSessionThatEndsDuringTheCreate(t *testing.T) {
	withFake(t, func(t *testing.T, e *Engine, conn *fake) {
		l := must(acquire(t.Context(), e))
		if err := l.Release(t.Context()); err != nil {
			t.Fatal(err)
		}
		// The create is carried out in the old session, and answered.
		conn.mu.Lock()
		struck := false
		conn.hook = func(op state.Op) (bool, error) {
			if op == state.OpGetChildren2 && !struck {
				struck = true
				conn.newSession(t)
			}
			return true, nil
		}
		conn.mu.Unlock()
		_, err := acquire(t.Context(), e)
		if !errors.Is(err, lock.ErrSessionExpired) || !errors.Is(err, lock.ErrNotAcquired) {
			t.Errorf("acquire: %v, want ErrSessionExpired", err)
		}
	})
}

// No answer for so long that the session must be over: the attempt fails, and
// what the create may have made is removed when the server can be reached.
func TestCreateWithoutAnAnswerIsCleanedUpInTheEnd(t *testing.T) {
	withFake(t, func(t *testing.T, e *Engine, conn *fake) {
		l := must(acquire(t.Context(), e))
		if err := l.Release(t.Context()); err != nil {
			t.Fatal(err)
		}
		defer conn.keepAlive()()
		first := true
		setHook(conn, func(op state.Op) (bool, error) {
			carriedOut := op == state.OpCreate && first
			first = first && op != state.OpCreate
			return carriedOut, zkconn.ErrDisconnected
		})
		_, err := acquire(t.Context(), e)
		if !errors.Is(err, zkconn.ErrDisconnected) || !errors.Is(err, lock.ErrUnknownOutcome) || !errors.Is(err, lock.ErrNotAcquired) {
			t.Errorf("acquire: %v, want ErrNotAcquired with an unknown outcome", err)
		}
		if len(nodes(conn.m)) != 1 {
			t.Fatal("the lost create made no node, the test shows nothing")
		}
		setHook(conn, nil)
		time.Sleep(2 * time.Second)
		if got := nodes(conn.m); len(got) != 0 {
			t.Errorf("left behind: %+v", got)
		}
	})
}

func TestRefusedCreateIsReportedAsItIs(t *testing.T) {
	withFake(t, func(t *testing.T, e *Engine, conn *fake) {
		setHook(conn, func(op state.Op) (bool, error) { return false, zkconn.ErrRefused })
		before := time.Now()
		_, err := acquire(t.Context(), e)
		if !errors.Is(err, zkconn.ErrRefused) || !errors.Is(err, lock.ErrNotAcquired) || errors.Is(err, lock.ErrUnknownOutcome) {
			t.Errorf("acquire: %v, want the refusal", err)
		}
		if d := time.Since(before); d != 0 {
			t.Errorf("it took %v", d)
		}
	})
}

// A pause between the look at the queue and the grant that is longer than the
// session: the lease would have ended before it began, so it looks again.
func TestPauseBeforeTheGrant(t *testing.T) {
	withFake(t, func(t *testing.T, e *Engine, conn *fake) {
		paused := false
		setHook(conn, func(op state.Op) (bool, error) {
			if op == state.OpGetChildren2 && !paused {
				paused = true
				conn.m.Suspend() // the server is paused as well, and the session lives on
				time.Sleep(time.Minute)
				conn.m.Resume()
			}
			return true, nil
		})
		l := must(acquire(t.Context(), e))
		if l.Err() != nil || time.Until(l.Deadline()) != 10*time.Second {
			t.Errorf("lease %v, deadline in %v", l.Err(), time.Until(l.Deadline()))
		}
	})
}

func TestReleaseThatIsRefusedIsAnError(t *testing.T) {
	withFake(t, func(t *testing.T, e *Engine, conn *fake) {
		l := must(acquire(t.Context(), e))
		setHook(conn, func(op state.Op) (bool, error) { return false, zkconn.ErrRefused })
		if err := l.Release(t.Context()); !errors.Is(err, zkconn.ErrRefused) {
			t.Errorf("release: %v, want the refusal", err)
		}
		if !errors.Is(l.Err(), lock.ErrReleased) {
			t.Errorf("lease: %v", l.Err())
		}
		setHook(conn, nil)
	})
}

// A passing error of a renewal is no loss.
func TestRenewalIsTriedAgain(t *testing.T) {
	withFake(t, func(t *testing.T, e *Engine, conn *fake) {
		l := must(acquire(t.Context(), e))
		conn.lose(state.OpSync, 3, false, nil)
		time.Sleep(time.Minute)
		if l.Err() != nil {
			t.Errorf("lost by %v although renewals succeed again", l.Err())
		}
		setHook(conn, func(op state.Op) (bool, error) { return false, zkconn.ErrDisconnected })
		cut := time.Now()
		<-l.Done()
		if d := time.Since(cut); !errors.Is(l.Err(), lock.ErrLost) || d > 10*time.Second {
			t.Errorf("ended with %v after %v", l.Err(), d)
		}
	})
}

func TestRenewByHandOfALostNode(t *testing.T) {
	withFake(t, func(t *testing.T, e *Engine, conn *fake) {
		l := must(acquire(t.Context(), e))
		for _, n := range nodes(conn.m) {
			if err := conn.Delete(t.Context(), n.Path); err != nil {
				t.Fatal(err)
			}
		}
		if err := l.Renew(t.Context()); !errors.Is(err, lock.ErrNotHeld) {
			t.Errorf("renew: %v, want ErrNotHeld", err)
		}
		if !errors.Is(l.Err(), lock.ErrLost) {
			t.Errorf("lease: %v, want lost", l.Err())
		}
	})
}

func setHook(f *fake, hook func(state.Op) (bool, error)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.hook = hook
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
