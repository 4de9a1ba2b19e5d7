package redislock_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/redislock"
)

var (
	alice = lock.WithOwner("alice")
	bob   = lock.WithOwner("bob")
)

// holds is the number of an owner's holds, as it stands in the lock.
func (s *store) holds(owner string) string {
	return s.admin.HGet(s.t.Context(), key, owner).Val()
}

func TestReentryCountsTheHolds(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *store) {
		l, _ := locker(s, redislock.NewReentrant, redislock.Config{TTL: long, Fencing: true})
		check := func(want string) {
			t.Helper()
			if got := s.holds("alice"); got != want {
				t.Fatalf("hold count %q, want %q", got, want)
			}
		}
		outer := acquire(t, l, alice)
		check("1")
		inner := acquire(t, l, alice)
		check("2")
		refused(t, l, bob)
		refused(t, l) // an owner of its own
		a, _ := outer.Token()
		if b, ok := inner.Token(); !ok || a != b || a != 1 {
			t.Errorf("tokens %d and %d, want 1 and the same", a, b)
		}
		release(t, outer) // the order does not matter
		check("1")
		refused(t, l, bob)
		release(t, inner)
		check("")
		next := granted(t, l, bob)
		if token, _ := next.Token(); token != 2 {
			t.Errorf("token of the next owner %d, want 2", token)
		}
		release(t, next)
		releaseIs(t, next, lock.ErrNotHeld)
		s.checkNothingLeft()
	})
}

func TestReentryNeverShortensTheLease(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *store) {
		l, _ := locker(s, redislock.NewReentrant, redislock.Config{TTL: long})
		outer := acquire(t, l, alice, lock.WithFixedLease(long))
		inner := acquire(t, l, alice, lock.WithTTL(short))
		if err := inner.(lock.Renewer).Renew(t.Context()); err != nil {
			t.Fatal(err)
		}
		if left := s.pttl(key); left < long/2 {
			t.Errorf("the lock has %v left of %v", left, long)
		}
		release(t, inner)
		release(t, outer)
	})
}

func TestReentryForLongerLengthensTheLease(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *store) {
		l, _ := locker(s, redislock.NewReentrant, redislock.Config{TTL: short, NoRenew: true})
		outer := acquire(t, l, alice)
		inner := acquire(t, l, alice, lock.WithFixedLease(long))
		<-outer.Done()
		refused(t, l, bob)
		releaseIs(t, outer, lock.ErrNotHeld)
		release(t, inner)
		s.checkNothingLeft()
	})
}

func TestAHoldIsCountedOnceHoweverOftenItIsSent(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *store) {
		l, w := locker(s, redislock.NewReentrant, redislock.Config{TTL: long})
		outer := acquire(t, l, alice)
		w.fail(func(_ context.Context, _ string, send func() error) error {
			_ = send()
			return send()
		})
		inner := acquire(t, l, alice)
		if got := s.holds("alice"); got != "2" {
			t.Errorf("hold count %q, want 2", got)
		}
		w.fail(nil)
		release(t, inner)
		release(t, outer)
		s.checkNothingLeft()
	})
}

func TestALostAnswerToReentryLeavesTheCountAlone(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *store) {
		l, w := locker(s, redislock.NewReentrant, redislock.Config{TTL: long})
		outer := acquire(t, l, alice)
		w.fail(func(_ context.Context, name string, send func() error) error {
			err := send()
			if name == "reentrant_acquire.lua" {
				return errReset
			}
			return err
		})
		if _, err := l.Acquire(t.Context(), key, alice); !errors.Is(err, lock.ErrNotAcquired) || errors.Is(err, lock.ErrUnknownOutcome) {
			t.Errorf("Acquire = %v, want ErrNotAcquired with a known outcome", err)
		}
		w.fail(nil)
		if got := s.holds("alice"); got != "1" {
			t.Errorf("hold count %q, want 1", got)
		}
		again := acquire(t, l, alice)
		release(t, again)
		release(t, outer)
		s.checkNothingLeft()
	})
}

func TestAnOldHoldCannotReleaseANewOneOfTheSameOwner(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *store) {
		l, _ := locker(s, redislock.NewReentrant, redislock.Config{TTL: long})
		old := acquire(t, l, alice, lock.WithFixedLease(short))
		<-old.Done()
		eventually(t, "the lock expires", func() bool { return s.holds("alice") == "" })
		current := acquire(t, l, alice)
		releaseIs(t, old, lock.ErrNotHeld)
		if got := s.holds("alice"); got != "1" {
			t.Errorf("hold count %q after the old release, want 1", got)
		}
		release(t, current)
	})
}

func TestTheLastReleaseWakesAWaiter(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *store) {
		l, _ := locker(s, redislock.NewReentrant, redislock.Config{TTL: long})
		b, w := locker(s, redislock.NewReentrant, redislock.Config{TTL: long, Poll: time.Hour})
		outer, inner := acquire(t, l, alice), acquire(t, l, alice)
		waiting := start(t.Context(), b, bob)
		eventually(t, "bob listens and has looked", func() bool { return w.count("reentrant_acquire.lua") >= 2 })
		w.forget()
		release(t, inner)
		release(t, outer)
		lease, err := waiting.result(t)
		if err != nil {
			t.Fatal(err)
		}
		if n := w.count("reentrant_acquire.lua"); n != 1 {
			t.Errorf("%d requests to take over, want 1", n)
		}
		release(t, lease)
	})
}

func TestAnOverlongOwnerIsInvalid(t *testing.T) {
	inVirtualTime(t, func(t *testing.T, s *store) {
		l, w := locker(s, redislock.NewReentrant, redislock.Config{})
		_, err := l.TryAcquire(t.Context(), key, lock.WithOwner(strings.Repeat("x", 1025)))
		if !errors.Is(err, lock.ErrInvalid) || len(w.requests()) > 0 {
			t.Errorf("error %v after %v, want ErrInvalid and no request", err, w.requests())
		}
	})
}
