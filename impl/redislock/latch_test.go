package redislock_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/redislock"
)

func setLatch(t *testing.T, l *redislock.Latch, count int) {
	t.Helper()
	if set, err := l.Set(t.Context(), key, count); err != nil || !set {
		t.Fatalf("Set = %v, %v; want true", set, err)
	}
}

func countDown(t *testing.T, l *redislock.Latch, want int) {
	t.Helper()
	if left, err := l.CountDown(t.Context(), key); err != nil || left != want {
		t.Fatalf("CountDown = %d, %v; want %d", left, err, want)
	}
}

func TestALatchThatOpensLetsAllGo(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *store) {
		l, w := locker(s, redislock.NewLatch, redislock.Config{TTL: long, Poll: time.Hour})
		setLatch(t, l, 2)
		const waiters = 5
		gone := make(chan error, waiters)
		for range waiters {
			go func() { gone <- l.Wait(t.Context(), key) }()
		}
		eventually(t, "all listen and have looked", func() bool { return w.count("latch_look.lua") == 2*waiters })
		countDown(t, l, 1)
		select {
		case err := <-gone:
			t.Fatalf("a waiter went on with a count of 1: %v", err)
		default:
		}
		countDown(t, l, 0)
		for range waiters {
			if err := <-gone; err != nil {
				t.Errorf("Wait = %v", err)
			}
		}
		countDown(t, l, 0) // an open latch stays open
		if err := l.Wait(t.Context(), key); err != nil {
			t.Errorf("Wait on an open latch = %v", err)
		}
		if set, err := l.Set(t.Context(), key, 3); err != nil || set {
			t.Errorf("Set on an open latch = %v, %v; want false", set, err)
		}
	})
}

func TestALatchLastsForItsTTLAndDoesNotOpenByTime(t *testing.T) {
	inVirtualTime(t, func(t *testing.T, s *store) {
		l, _ := locker(s, redislock.NewLatch, redislock.Config{TTL: time.Minute})
		setLatch(t, l, 1)
		begin := time.Now()
		if err := l.Wait(t.Context(), key); !errors.Is(err, redislock.ErrNoLatch) {
			t.Errorf("Wait = %v, want ErrNoLatch", err)
		}
		if waited := time.Since(begin); waited < time.Minute || waited > time.Minute+2*time.Millisecond {
			t.Errorf("waited %v, want the time that the latch lasts", waited)
		}
		s.checkNothingLeft()
		setLatch(t, l, 1)
		<-time.After(50 * time.Second)
		countDown(t, l, 0)
		<-time.After(50 * time.Second)
		if err := l.Wait(t.Context(), key); err != nil {
			t.Errorf("Wait, 50s after it opened = %v", err)
		}
	})
}

func TestALatchThatIsNotThereIsAnError(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *store) {
		l, _ := locker(s, redislock.NewLatch, redislock.Config{})
		if err := l.Wait(t.Context(), key); !errors.Is(err, redislock.ErrNoLatch) {
			t.Errorf("Wait = %v, want ErrNoLatch", err)
		}
		if _, err := l.CountDown(t.Context(), key); !errors.Is(err, redislock.ErrNoLatch) {
			t.Errorf("CountDown = %v, want ErrNoLatch", err)
		}
		if _, err := l.Set(t.Context(), key, 0); !errors.Is(err, lock.ErrInvalid) {
			t.Errorf("Set to 0 = %v, want ErrInvalid", err)
		}
		if err := l.Wait(t.Context(), ""); !errors.Is(err, lock.ErrInvalid) {
			t.Errorf("Wait without a key = %v, want ErrInvalid", err)
		}
	})
}

func TestAWaitEndsWithItsContext(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *store) {
		l, _ := locker(s, redislock.NewLatch, redislock.Config{TTL: long})
		setLatch(t, l, 1)
		ctx, cancel := context.WithTimeout(t.Context(), short)
		defer cancel()
		if err := l.Wait(ctx, key); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Wait = %v, want context.DeadlineExceeded", err)
		}
		eventually(t, "the subscription ends", func() bool { return s.subscribers(key) == 0 })
	})
}

func TestACountWhoseAnswerIsLostCountsOnce(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *store) {
		l, w := locker(s, redislock.NewLatch, redislock.Config{TTL: long})
		setLatch(t, l, 3)
		lost := 0
		w.fail(func(_ context.Context, _ string, send func() error) error {
			err := send()
			if lost++; lost == 1 {
				return errReset
			}
			return err
		})
		countDown(t, l, 2)
		w.fail(func(_ context.Context, _ string, send func() error) error {
			_ = send()
			return errReset
		})
		if _, err := l.CountDown(t.Context(), key); !errors.Is(err, lock.ErrUnknownOutcome) {
			t.Errorf("CountDown = %v, want ErrUnknownOutcome", err)
		}
	})
}
