package redislock_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/redislock"
)

// queued is how many wait for a fair lock.
func (s *store) queued() int64 { return s.admin.LLen(context.Background(), "{"+key+"}:queue").Val() }

// lineUp starts an Acquire and waits until it stands in the queue.
func (s *store) lineUp(ctx context.Context, l lock.Locker) *acquisition {
	s.t.Helper()
	before := s.queued()
	a := start(ctx, l)
	eventually(s.t, "the waiter stands in the queue", func() bool { return s.queued() == before+1 })
	return a
}

// dead is an Acquire of a process that stands in the queue when it dies.
func (s *store) dead(cfg redislock.Config) {
	s.t.Helper()
	l, w := locker(s, redislock.NewFair, cfg)
	ctx, cancel := context.WithCancel(s.t.Context())
	a := s.lineUp(ctx, l)
	w.fail(func(context.Context, string, func() error) error { return errReset })
	cancel()
	if _, err := a.result(s.t); !errors.Is(err, lock.ErrUnknownOutcome) {
		s.t.Fatalf("Acquire = %v, want ErrUnknownOutcome", err)
	}
}

func TestFairServesInTheOrderOfArrival(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *store) {
		l, _ := locker(s, redislock.NewFair, redislock.Config{TTL: long, Fencing: true})
		current := acquire(t, l)
		var waiting []*acquisition
		for range 5 {
			waiting = append(waiting, s.lineUp(t.Context(), l))
		}
		for i, next := range waiting {
			refused(t, l) // nobody overtakes
			release(t, current)
			lease, err := next.result(t)
			if err != nil {
				t.Fatalf("waiter %d: %v", i, err)
			}
			if token, _ := lease.Token(); token != lock.Token(i+2) {
				t.Errorf("waiter %d has token %d, want %d", i, token, i+2)
			}
			current = lease
		}
		release(t, current)
		s.checkNothingLeft()
	})
}

func TestAReleaseOfAFairLockWakesOnlyTheFirst(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *store) {
		cfg := redislock.Config{TTL: long, Poll: time.Hour}
		l, _ := locker(s, redislock.NewFair, cfg)
		lease := acquire(t, l)
		var wires []*wire
		var waiting []*acquisition
		for range 3 {
			b, w := locker(s, redislock.NewFair, cfg)
			waiting = append(waiting, s.lineUp(t.Context(), b))
			eventually(t, "the waiter listens and has looked", func() bool { return w.count("fair_acquire.lua") == 2 })
			wires = append(wires, w)
		}
		release(t, lease)
		lease, err := waiting[0].result(t)
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range []int{3, 2, 2} {
			if n := wires[i].count("fair_acquire.lua"); n != want {
				t.Errorf("waiter %d has asked %d times, want %d", i, n, want)
			}
		}
		for _, next := range waiting[1:] {
			release(t, lease)
			if lease, err = next.result(t); err != nil {
				t.Fatal(err)
			}
		}
		release(t, lease)
		s.checkNothingLeft()
	})
}

func TestATryIsRefusedWhileTheFirstOfTheQueueIsOnItsWay(t *testing.T) {
	inVirtualTime(t, func(t *testing.T, s *store) {
		cfg := redislock.Config{TTL: long}
		l, _ := locker(s, redislock.NewFair, cfg)
		lease := acquire(t, l)
		s.dead(cfg)
		release(t, lease)
		refused(t, l)
		<-time.After(3*time.Second + 2*time.Millisecond)
		release(t, granted(t, l))
		s.checkNothingLeft()
	})
}

func TestADeadHeadIsPassedOverWithinOneUnit(t *testing.T) {
	inVirtualTime(t, func(t *testing.T, s *store) {
		const poll = 200 * time.Millisecond
		cfg := redislock.Config{TTL: long, Poll: poll}
		l, _ := locker(s, redislock.NewFair, cfg)
		lease := acquire(t, l)
		s.dead(cfg)
		died := time.Now()
		next := s.lineUp(t.Context(), l)
		release(t, lease)
		got, err := next.result(t)
		if err != nil {
			t.Fatal(err)
		}
		if waited := time.Since(died); waited > 3*poll+2*time.Millisecond {
			t.Errorf("the dead head cost %v, want at most %v", waited, 3*poll)
		}
		release(t, got)
		s.checkNothingLeft()
	})
}

// Redisson once added up the waiting times of those who had gone.
func TestWaitersThatComeAndGoDoNotDelayTheOthers(t *testing.T) {
	inVirtualTime(t, func(t *testing.T, s *store) {
		const poll = 200 * time.Millisecond
		cfg := redislock.Config{TTL: long, Poll: poll}
		l, _ := locker(s, redislock.NewFair, cfg)
		lease := acquire(t, l)
		for range 5 {
			s.dead(cfg)
		}
		patient := s.lineUp(t.Context(), l)
		for range 5 {
			ctx, cancel := context.WithTimeout(t.Context(), poll/2)
			if _, err := l.Acquire(ctx, key); !errors.Is(err, context.DeadlineExceeded) {
				t.Fatalf("Acquire = %v, want context.DeadlineExceeded", err)
			}
			cancel()
			s.dead(cfg)
		}
		released := time.Now()
		release(t, lease)
		got, err := patient.result(t)
		if err != nil {
			t.Fatal(err)
		}
		if waited := time.Since(released); waited > 3*poll+2*time.Millisecond {
			t.Errorf("waited %v after the release, want one unit of %v at most", waited, 3*poll)
		}
		release(t, got)
		<-time.After(4 * poll)
		s.checkNothingLeft() // the dead have gone as well
	})
}

func TestAWaiterThatGivesUpLeavesTheQueue(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *store) {
		l, _ := locker(s, redislock.NewFair, redislock.Config{TTL: long, Poll: time.Hour})
		lease := acquire(t, l)
		ctx, cancel := context.WithCancel(t.Context())
		first := s.lineUp(ctx, l)
		second := s.lineUp(t.Context(), l)
		cancel()
		if _, err := first.result(t); !errors.Is(err, context.Canceled) || !errors.Is(err, lock.ErrNotAcquired) {
			t.Errorf("Acquire = %v, want context.Canceled and ErrNotAcquired", err)
		}
		if n := s.queued(); n != 1 {
			t.Errorf("%d in the queue, want 1", n)
		}
		release(t, lease)
		got, err := second.result(t)
		if err != nil {
			t.Fatal(err)
		}
		release(t, got)
		s.checkNothingLeft()
	})
}

func TestTheNextIsWokenWhenTheHeadGivesUpOnAFreeLock(t *testing.T) {
	inVirtualTime(t, func(t *testing.T, s *store) {
		cfg := redislock.Config{TTL: long, Poll: time.Hour}
		l, _ := locker(s, redislock.NewFair, cfg)
		a, w := locker(s, redislock.NewFair, cfg)
		lease := acquire(t, l)
		ctx, cancel := context.WithCancel(t.Context())
		first := s.lineUp(ctx, a)
		second := s.lineUp(t.Context(), l)
		// The head gets no further than to its own clean-up.
		w.fail(func(_ context.Context, name string, send func() error) error {
			if name == "fair_acquire.lua" {
				<-ctx.Done()
				return ctx.Err()
			}
			return send()
		})
		release(t, lease)
		eventually(t, "the head tries", func() bool { return w.count("fair_acquire.lua") >= 3 })
		cancel()
		before := time.Now()
		if _, err := first.result(t); !errors.Is(err, context.Canceled) {
			t.Errorf("Acquire = %v, want context.Canceled", err)
		}
		got, err := second.result(t)
		if err != nil {
			t.Fatal(err)
		}
		if waited := time.Since(before); waited > time.Second {
			t.Errorf("the next waited %v", waited)
		}
		release(t, got)
		s.checkNothingLeft()
	})
}

func TestAnExpiryWakesTheFirstOfTheQueue(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *store) {
		l, _ := locker(s, redislock.NewFair, redislock.Config{TTL: long, Poll: time.Hour})
		dead := acquire(t, l, lock.WithFixedLease(short))
		first := s.lineUp(t.Context(), l)
		got, err := first.result(t)
		if err != nil {
			t.Fatal(err)
		}
		releaseIs(t, dead, lock.ErrNotHeld)
		if s.owner(key) != got.Owner() {
			t.Error("the late release has freed the successor's lock")
		}
		release(t, got)
	})
}

func TestAFairGrantIsTheSameHoweverOftenItIsSent(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *store) {
		l, w := locker(s, redislock.NewFair, redislock.Config{TTL: long, Fencing: true})
		w.fail(func(_ context.Context, _ string, send func() error) error {
			_ = send()
			return send()
		})
		lease := acquire(t, l)
		if token, ok := lease.Token(); !ok || token != 1 {
			t.Errorf("token %d, want 1", token)
		}
		w.fail(nil)
		release(t, lease)
		if want := []string{"fair_acquire.lua", "fair_release.lua"}; !slices.Equal(w.requests(), want) {
			t.Errorf("requests %v, want %v", w.requests(), want)
		}
		s.checkNothingLeft()
	})
}
