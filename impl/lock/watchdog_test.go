package lock_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lockstep-sim/lockstep/impl/clock"
	"github.com/lockstep-sim/lockstep/impl/lock"
)

const ttl = 30 * time.Second

// renewals lets a watchdog renew a lease of 30 s every 10 s for a while; answer
// decides the nth renewal. It returns when they were sent and why the lease
// ended, if it did.
func renewals(t *testing.T, during time.Duration, answer func(n int) error) (sent []time.Duration, end error) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		clk, start := clock.Real(), time.Now()
		g := newGrant(ttl)
		w := lock.StartWatchdog(clk, g, lock.Renewal{
			From: start, Every: ttl / 3, Retry: time.Second, Timeout: time.Second,
			Renew: func(context.Context) (time.Time, error) {
				sent = append(sent, time.Since(start))
				return clk.Now().Add(ttl), answer(len(sent))
			},
		})
		_ = clk.Sleep(bg, during)
		w.Stop()
		end = g.Err()
		g.End(lock.ErrReleased)
	})
	return sent, end
}

func seconds(list ...int) []time.Duration {
	var out []time.Duration
	for _, s := range list {
		out = append(out, time.Duration(s)*time.Second)
	}
	return out
}

func TestRenewalEveryThirdOfTheLease(t *testing.T) {
	sent, end := renewals(t, 45*time.Second, func(int) error { return nil })
	if !slices.Equal(sent, seconds(10, 20, 30, 40)) || end != nil {
		t.Errorf("renewed at %v, end %v", sent, end)
	}
}

func TestAPassingErrorIsTriedAgain(t *testing.T) {
	sent, end := renewals(t, 25*time.Second, func(n int) error {
		if n <= 2 {
			return errors.New("connection refused")
		}
		return nil
	})
	// Two failures, a second apart, then one success; the next is due 10 s later.
	if !slices.Equal(sent, seconds(10, 11, 12, 22)) || end != nil {
		t.Errorf("renewed at %v, end %v", sent, end)
	}
}

func TestFailuresUpToTheDeadlineLoseTheLease(t *testing.T) {
	sent, end := renewals(t, time.Minute, func(int) error { return errors.New("connection refused") })
	if last := sent[len(sent)-1]; last < 29*time.Second || last > ttl || !errors.Is(end, lock.ErrLost) {
		t.Errorf("last tried at %v, end %v", last, end)
	}
}

func TestALockThatIsNotOursIsNotTriedAgain(t *testing.T) {
	for final, reason := range map[error]error{
		lock.ErrNotHeld:        lock.ErrLost,
		lock.ErrSessionExpired: lock.ErrSessionExpired,
	} {
		sent, end := renewals(t, time.Minute, func(int) error { return final })
		if !slices.Equal(sent, seconds(10)) || !errors.Is(end, reason) {
			t.Errorf("%v: renewed at %v, end %v", final, sent, end)
		}
	}
}

func TestNoRenewalAfterStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clk, calls := clock.Real(), 0
		g := newGrant(ttl)
		w := lock.StartWatchdog(clk, g, lock.Renewal{
			Every: ttl / 3, Timeout: time.Second,
			Renew: func(context.Context) (time.Time, error) { calls++; return clk.Now().Add(ttl), nil },
		})
		w.Stop()
		w.Stop() // may be called again
		time.Sleep(time.Minute)
		if calls != 0 {
			t.Errorf("%d renewals after Stop", calls)
		}
	})
}

// TestStopEndsARenewalUnderWay is the fault of pglock 4: a release during a
// renewal must wait for it, not for ever.
func TestStopEndsARenewalUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clk := clock.Real()
		g := newGrant(ttl)
		ended := false
		w := lock.StartWatchdog(clk, g, lock.Renewal{
			Every: time.Second, Timeout: time.Minute,
			Renew: func(ctx context.Context) (time.Time, error) {
				<-ctx.Done()
				ended = true
				return time.Time{}, ctx.Err()
			},
		})
		time.Sleep(5 * time.Second) // a renewal is under way and hangs
		start := time.Now()
		w.Stop()
		if !ended || time.Since(start) != 0 {
			t.Errorf("Stop returned after %v, the renewal had ended: %v", time.Since(start), ended)
		}
		g.End(lock.ErrReleased)
	})
}

func TestTheWatchdogEndsWithItsLease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clk, calls := clock.Real(), 0
		g := newGrant(ttl)
		lock.StartWatchdog(clk, g, lock.Renewal{
			Every: ttl / 3, Timeout: time.Second,
			Renew: func(context.Context) (time.Time, error) { calls++; return clk.Now().Add(ttl), nil },
		})
		g.End(lock.ErrLost)
		time.Sleep(time.Minute) // the bubble would not end if its goroutine lived on
		if calls != 0 {
			t.Errorf("%d renewals of an ended lease", calls)
		}
	})
}
