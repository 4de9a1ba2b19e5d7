package clock_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/lockstep-sim/lockstep/impl/clock"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var bg = context.Background()

// elapsed runs f in a bubble and returns how long it took there.
func elapsed(t *testing.T, f func(t *testing.T, c clock.Clock)) (d time.Duration) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		f(t, clock.Real())
		d = time.Since(start)
	})
	return d
}

func TestSleepTakesItsTime(t *testing.T) {
	d := elapsed(t, func(t *testing.T, c clock.Clock) {
		if err := c.Sleep(bg, time.Minute); err != nil {
			t.Error(err)
		}
	})
	if d != time.Minute {
		t.Errorf("slept %v", d)
	}
}

func TestSleepEndsWithItsContext(t *testing.T) {
	d := elapsed(t, func(t *testing.T, c clock.Clock) {
		ctx, cancel := c.WithTimeout(bg, time.Second)
		defer cancel()
		if err := c.Sleep(ctx, time.Minute); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		if err := c.Sleep(ctx, 0); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a sleep of nothing with a context that is over: %v", err)
		}
	})
	if d != time.Second {
		t.Errorf("slept %v", d)
	}
}

func TestWaitingForASignal(t *testing.T) {
	elapsed(t, func(t *testing.T, c clock.Clock) {
		s := c.NewSignal()
		s.Notify()
		s.Notify() // one notification is kept, not two
		if err := s.Wait(bg, clock.NoLimit); err != nil {
			t.Errorf("the notification before the wait was lost: %v", err)
		}
		if err := s.Wait(bg, time.Second); err != clock.ErrTimeout {
			t.Errorf("second wait: %v", err)
		}
		c.AfterFunc(time.Second, s.Notify)
		if err := s.Wait(bg, time.Minute); err != nil {
			t.Errorf("third wait: %v", err)
		}
	})
}

func TestANotificationWinsOverEverythingElse(t *testing.T) {
	elapsed(t, func(t *testing.T, c clock.Clock) {
		ctx, cancel := context.WithCancel(bg)
		cancel()
		s := c.NewSignal()
		s.Notify()
		if err := s.Wait(ctx, 0); err != nil {
			t.Errorf("got %v", err)
		}
	})
}

func TestAnEventStays(t *testing.T) {
	elapsed(t, func(t *testing.T, c clock.Clock) {
		e := c.NewEvent()
		if e.IsSet() {
			t.Error("set from the start")
		}
		if err := e.Wait(bg, time.Second); err != clock.ErrTimeout {
			t.Errorf("got %v", err)
		}
		c.Go(e.Set)
		if err := e.Wait(bg, clock.NoLimit); err != nil {
			t.Error(err)
		}
		e.Set() // again: nothing happens
		<-e.Done()
		if !e.IsSet() {
			t.Error("not set any more")
		}
	})
}

func TestAStoppedTimerDoesNotCall(t *testing.T) {
	elapsed(t, func(t *testing.T, c clock.Clock) {
		called := false
		timer := c.AfterFunc(time.Second, func() { called = true })
		if !timer.Stop() {
			t.Error("Stop reports that it came too late")
		}
		_ = c.Sleep(bg, time.Minute)
		if called || timer.Stop() {
			t.Errorf("called %v", called)
		}
	})
}

func TestOrGivesTheDefault(t *testing.T) {
	if clock.Or(nil) == nil {
		t.Error("no clock")
	}
	if c := clock.Real(); clock.Or(c) != c {
		t.Error("another clock than the given one")
	}
}
