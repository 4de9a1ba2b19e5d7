package redislock_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/lockstep-sim/lockstep/impl/clock"
	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/redislock"
)

// The defaults are a lease of 30 s, renewed every 10 s.
func TestRenewalKeepsToAThirdOfTheTTL(t *testing.T) {
	inVirtualTime(t, func(t *testing.T, s *store) {
		m, w := s.mutex(redislock.Config{})
		begin := time.Now()
		var at []time.Duration
		w.fail(func(_ context.Context, name string, send func() error) error {
			if name == "renew.lua" {
				at = append(at, time.Since(begin))
			}
			return send()
		})
		lease := acquire(t, m)
		<-time.After(75 * time.Second) // the work
		release(t, lease)
		want := []time.Duration{10 * time.Second, 20 * time.Second, 30 * time.Second, 40 * time.Second,
			50 * time.Second, 60 * time.Second, 70 * time.Second}
		if !slices.Equal(at, want) {
			t.Errorf("renewals at %v, want %v", at, want)
		}
	})
}

func TestAHolderThatDiesIsFollowedWithinOneTTL(t *testing.T) {
	inVirtualTime(t, func(t *testing.T, s *store) {
		a, w := s.mutex(redislock.Config{})
		b, _ := s.mutex(redislock.Config{})
		lease := acquire(t, a)
		begin := time.Now()
		<-time.After(42 * time.Second)
		w.fail(func(context.Context, string, func() error) error { return errors.New("the process is gone") })
		next := acquire(t, b)
		if at := time.Since(begin); at < 70*time.Second || at > 70*time.Second+10*time.Millisecond {
			t.Errorf("free after %v, want 30s after the last renewal at 40s", at)
		}
		if err := lease.Release(t.Context()); !errors.Is(err, lock.ErrNotHeld) {
			t.Errorf("Release of the dead = %v, want ErrNotHeld", err)
		}
		release(t, next)
	})
}

func TestRequestsAreBoundedByTheConfiguredTimeout(t *testing.T) {
	for name, c := range map[string]struct {
		cfg  redislock.Config
		want time.Duration
	}{
		"default":             {redislock.Config{}, 3 * time.Second},
		"configured":          {redislock.Config{RequestTimeout: time.Second}, time.Second},
		"a third of the TTL":  {redislock.Config{TTL: 600 * time.Millisecond}, 200 * time.Millisecond},
		"the shorter of both": {redislock.Config{TTL: 600 * time.Millisecond, RequestTimeout: time.Second}, 200 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			inVirtualTime(t, func(t *testing.T, s *store) {
				m, w := s.mutex(c.cfg)
				w.fail(func(ctx context.Context, _ string, _ func() error) error {
					<-ctx.Done()
					return ctx.Err()
				})
				before := time.Now()
				_, err := m.Acquire(context.Background(), key)
				if !errors.Is(err, lock.ErrUnknownOutcome) || !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("Acquire = %v, want ErrUnknownOutcome and context.DeadlineExceeded", err)
				}
				if took, want := time.Since(before), 2*c.want; took != want { // the attempt and its clean-up
					t.Errorf("gave up after %v, want %v", took, want)
				}
			})
		})
	}
}

func TestLeaseAndRenewalCountFromTheRequest(t *testing.T) {
	inVirtualTime(t, func(t *testing.T, s *store) {
		m, w := s.mutex(redislock.Config{TTL: 30 * time.Second})
		w.fail(func(_ context.Context, _ string, send func() error) error {
			err := send()
			<-time.After(time.Second) // the answer is slow
			return err
		})
		sent := time.Now()
		lease := acquire(t, m)
		if got := lease.Deadline().Sub(sent); got != 30*time.Second {
			t.Errorf("deadline %v after the request, want 30s", got)
		}
		<-time.After(11 * time.Second)
		if got := lease.Deadline().Sub(sent); got != 40*time.Second {
			t.Errorf("deadline %v after a renewal sent at 10s, want 40s", got)
		}
		w.fail(nil)
		release(t, lease)
	})
}

// A process that was paused wakes in the middle of its work, before its timers
// have run. The release goes by the clock.
func TestAReleaseIsNotFooledByATimerThatIsLate(t *testing.T) {
	inVirtualTime(t, func(t *testing.T, s *store) {
		m, _ := s.mutex(redislock.Config{Clock: lateTimers{clock.Real()}, TTL: short, NoRenew: true})
		lease := acquire(t, m)
		s.admin.Persist(t.Context(), key) // the server would not notice either
		<-time.After(short)
		if err := lease.Release(t.Context()); !errors.Is(err, lock.ErrNotHeld) {
			t.Errorf("Release = %v, want ErrNotHeld", err)
		}
		if !errors.Is(lease.Err(), lock.ErrLost) {
			t.Errorf("Err = %v, want ErrLost", lease.Err())
		}
	})
}

// lateTimers is a clock whose timers do not get to run.
type lateTimers struct{ clock.Clock }

// AfterFunc implements clock.Clock.
func (c lateTimers) AfterFunc(_ time.Duration, f func()) clock.Timer {
	return c.Clock.AfterFunc(long, f)
}
