package lock_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lockstep-sim/lockstep/impl/lock"
)

func newMulti(t *testing.T, members ...lock.Locker) *lock.Multi {
	t.Helper()
	var all []lock.Member
	for _, m := range members {
		all = append(all, lock.Member{Locker: m})
	}
	multi, err := lock.NewMulti(nil, all...)
	if err != nil {
		t.Fatal(err)
	}
	return multi
}

// free checks that a key of a locker is not taken.
func free(t *testing.T, l *local, key string) {
	t.Helper()
	lease, err := l.LocalMutex.TryAcquire(t.Context(), key)
	if err != nil {
		t.Errorf("%s is still taken: %v", key, err)
		return
	}
	_ = lease.Release(t.Context())
}

func TestMultiLocksAllMembersAndReleasesInReverse(t *testing.T) {
	l := newLocal()
	under := func(prefix string) lock.Member {
		return lock.Member{Locker: l, Name: func(key string) string { return prefix + key }}
	}
	multi, err := lock.NewMulti(nil, under("a:"), under("b:"), lock.Member{Locker: l})
	if err != nil {
		t.Fatal(err)
	}
	lease, err := multi.Acquire(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	if lease.Key() != "x" {
		t.Errorf("key %q, want x", lease.Key())
	}
	if err := lease.Release(t.Context()); err != nil {
		t.Error(err)
	}
	want := []string{"lock a:x", "lock b:x", "lock x", "unlock x", "unlock b:x", "unlock a:x"}
	if got := l.noted(); !slices.Equal(got, want) {
		t.Errorf("did %v, want %v", got, want)
	}
	if err := lease.Release(t.Context()); !errors.Is(err, lock.ErrNotHeld) {
		t.Errorf("second Release = %v, want ErrNotHeld", err)
	}
}

func TestMultiThatIsRefusedOneMemberHoldsNone(t *testing.T) {
	a, b, c := newLocal(), newLocal(), newLocal()
	held, err := c.LocalMutex.TryAcquire(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	_, err = newMulti(t, a, b, c).TryAcquire(t.Context(), "x")
	if !errors.Is(err, lock.ErrNotAcquired) || !strings.Contains(err.Error(), "member 3") {
		t.Errorf("TryAcquire = %v, want ErrNotAcquired from member 3", err)
	}
	free(t, a, "x")
	free(t, b, "x")
	if err := held.Release(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestMultiThatIsCancelledMidwayHoldsNone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := newLocal(), newLocal()
		held, err := b.LocalMutex.TryAcquire(t.Context(), "x")
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err = newMulti(t, a, b).Acquire(ctx, "x")
		if !errors.Is(err, lock.ErrNotAcquired) || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Acquire = %v, want ErrNotAcquired and context.DeadlineExceeded", err)
		}
		free(t, a, "x")
		if err := held.Release(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func TestMultiTriesEveryReleaseEvenWhenOneFails(t *testing.T) {
	a, b, c := newLocal(), newLocal(), newLocal()
	stuck := errors.New("the backend is gone")
	b.stuck = stuck
	lease, err := newMulti(t, a, b, c).Acquire(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	if err := lease.Release(t.Context()); !errors.Is(err, stuck) || strings.Contains(err.Error(), "\n") {
		t.Errorf("Release = %q, want one line with %q", err, stuck)
	}
	free(t, a, "x")
	free(t, c, "x")

	refused := errors.New("no")
	c.refuse = refused
	_, err = newMulti(t, b, a, c).Acquire(t.Context(), "y")
	if !errors.Is(err, refused) || !errors.Is(err, stuck) {
		t.Errorf("Acquire = %v, want the refusal and the failed clean-up", err)
	}
	free(t, a, "y")
}

func TestMultiEndsWithTheFirstMemberThatEnds(t *testing.T) {
	for name, last := range map[string]func(*local) lock.Locker{
		"built on Grant": func(l *local) lock.Locker { return l },
		"channel only":   func(l *local) lock.Locker { return plain{l} },
	} {
		t.Run(name, func(t *testing.T) {
			a, b := newLocal(), newLocal()
			lease, err := newMulti(t, a, last(b)).Acquire(t.Context(), "x")
			if err != nil {
				t.Fatal(err)
			}
			b.lose()
			<-lease.Done()
			if !errors.Is(lease.Err(), lock.ErrLost) {
				t.Errorf("Err = %v, want ErrLost", lease.Err())
			}
			if err := lease.Release(t.Context()); !errors.Is(err, lock.ErrNotHeld) {
				t.Errorf("Release = %v, want ErrNotHeld", err)
			}
			free(t, a, "x")
		})
	}
}

func TestMultiWithoutMembersIsInvalid(t *testing.T) {
	if _, err := lock.NewMulti(nil); !errors.Is(err, lock.ErrInvalid) {
		t.Errorf("no members: %v, want ErrInvalid", err)
	}
	if _, err := lock.NewMulti(nil, lock.Member{}); !errors.Is(err, lock.ErrInvalid) {
		t.Errorf("member without Locker: %v, want ErrInvalid", err)
	}
}

func TestWithinBoundsTheWaitingAndNotTheWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLocal()
		bounded := lock.Within(nil, l, time.Second)
		err := lock.Do(t.Context(), bounded, "x", func(ctx context.Context) error {
			begin := time.Now()
			if _, err := bounded.Acquire(ctx, "x"); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("Acquire = %v, want context.DeadlineExceeded", err)
			}
			if waited := time.Since(begin); waited != time.Second {
				t.Errorf("waited %v, want 1s", waited)
			}
			if _, err := lock.Within(nil, l, 0).Acquire(ctx, "x"); !errors.Is(err, lock.ErrNotAcquired) {
				t.Errorf("Acquire within 0s = %v, want ErrNotAcquired", err)
			}
			if waited := time.Since(begin); waited != time.Second {
				t.Error("it waited with a bound of 0s")
			}
			return ctx.Err()
		})
		if err != nil {
			t.Error(err)
		}
	})
}
