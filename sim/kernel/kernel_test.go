package kernel

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/lockstep-sim/lockstep/impl/clock"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// world is a kernel with a log of "time: text" lines.
type world struct {
	*Kernel
	log []string
}

func newWorld(t *testing.T) *world {
	w := &world{Kernel: New(1, Limits{})}
	t.Cleanup(w.Close)
	return w
}

func (w *world) say(format string, args ...any) {
	w.log = append(w.log, fmt.Sprintf("%v: ", w.Now())+fmt.Sprintf(format, args...))
}

func (w *world) run(t *testing.T) {
	t.Helper()
	if err := w.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func (w *world) want(t *testing.T, lines ...string) {
	t.Helper()
	if !slices.Equal(w.log, lines) {
		t.Errorf("got\n  %s\nwant\n  %s", strings.Join(w.log, "\n  "), strings.Join(lines, "\n  "))
	}
}

var bg = context.Background()

func TestTimeJumpsToTheNextEvent(t *testing.T) {
	w := newWorld(t)
	a, b := w.NewProcess("A"), w.NewProcess("B")
	a.Go("main", func() {
		_ = a.Clock().Sleep(bg, 3*time.Second)
		w.say("A")
	})
	b.Go("main", func() {
		_ = b.Clock().Sleep(bg, time.Hour)
		w.say("B")
	})
	w.After(time.Second, func() { w.say("environment") })
	w.run(t)
	w.want(t, "1s: environment", "3s: A", "1h0m0s: B")
}

func TestSameInstantRunsInOrderOfScheduling(t *testing.T) {
	w := newWorld(t)
	p := w.NewProcess("A")
	for i := range 5 {
		p.Go("main", func() {
			_ = p.Clock().Sleep(bg, time.Second)
			w.say("%d", i)
		})
	}
	w.run(t)
	w.want(t, "1s: 0", "1s: 1", "1s: 2", "1s: 3", "1s: 4")
}

func TestChooserAnswersChoicePoints(t *testing.T) {
	w := newWorld(t)
	w.SetChooser(func(o []Option) int {
		if w.Now() == 0 {
			return 0
		}
		return len(o) - 1
	})
	p := w.NewProcess("A")
	for i := range 4 {
		p.Go("main", func() {
			_ = p.Clock().Sleep(bg, time.Second)
			w.say("%d", i)
		})
	}
	w.run(t)
	w.want(t, "1s: 3", "1s: 2", "1s: 1", "1s: 0")
}

func TestSignalRemembersOneNotification(t *testing.T) {
	w := newWorld(t)
	p := w.NewProcess("A")
	s := p.Clock().NewSignal()
	p.Go("main", func() {
		s.Notify()
		s.Notify()
		w.say("first %v", s.Wait(bg, clock.NoLimit))
		w.say("second %v", s.Wait(bg, time.Second))
	})
	w.run(t)
	w.want(t, "0s: first <nil>", "1s: second clock: wait limit reached")
}

func TestNotifySkipsAWaiterThatHasGivenUp(t *testing.T) {
	w := newWorld(t)
	p := w.NewProcess("A")
	s := p.Clock().NewSignal()
	wait := func(name string, limit time.Duration) {
		p.Go(name, func() { w.say("%s %v", name, s.Wait(bg, limit)) })
	}
	wait("short", time.Second)
	wait("long", time.Minute)
	w.After(2*time.Second, s.Notify)
	w.run(t)
	w.want(t, "1s: short clock: wait limit reached", "2s: long <nil>")
}

func TestEventWakesAllAndStays(t *testing.T) {
	w := newWorld(t)
	p := w.NewProcess("A")
	e := p.Clock().NewEvent()
	for i := range 3 {
		p.Go("waiter", func() { w.say("%d %v", i, e.Wait(bg, clock.NoLimit)) })
	}
	w.After(time.Second, e.Set)
	w.After(2*time.Second, func() {
		p.Go("late", func() { w.say("late %v", e.Wait(bg, 0)) })
	})
	w.run(t)
	w.want(t, "1s: 0 <nil>", "1s: 1 <nil>", "1s: 2 <nil>", "2s: late <nil>")
}

func TestContextEndsAWait(t *testing.T) {
	w := newWorld(t)
	p := w.NewProcess("A")
	ctx, cancel := context.WithCancel(bg)
	p.Go("waiter", func() { w.say("%v", p.Clock().Sleep(ctx, time.Hour)) })
	p.Go("canceller", func() {
		_ = p.Clock().Sleep(bg, time.Second)
		cancel()
	})
	w.run(t)
	w.want(t, "1s: context canceled")
}

func TestTimeoutIsInVirtualTime(t *testing.T) {
	w := newWorld(t)
	p := w.NewProcess("A")
	p.Go("main", func() {
		ctx, cancel := p.Clock().WithTimeout(bg, time.Minute)
		defer cancel()
		child, cancelChild := context.WithCancel(ctx)
		defer cancelChild()
		w.say("%v", p.Clock().Sleep(ctx, time.Hour))
		w.say("child %v because %v", child.Err(), context.Cause(child))
		grandchild, cancelGrandchild := p.Clock().WithTimeout(ctx, time.Hour)
		defer cancelGrandchild()
		w.say("grandchild %v", grandchild.Err())
	})
	w.run(t)
	w.want(t, "1m0s: context deadline exceeded",
		"1m0s: child context canceled because context deadline exceeded",
		"1m0s: grandchild context deadline exceeded")
}

func TestPauseStopsTimersAndTasksAndKeepsTheirOrder(t *testing.T) {
	w := newWorld(t)
	p := w.NewProcess("A")
	p.Clock().AfterFunc(2*time.Second, func() { w.say("timer due at 2s") })
	p.Go("main", func() {
		_ = p.Clock().Sleep(bg, 3*time.Second)
		w.say("task due at 3s")
	})
	w.After(time.Second, func() { p.Pause(10*time.Second, func() { w.say("resumes") }) })
	w.run(t)
	w.want(t, "11s: resumes", "11s: timer due at 2s", "11s: task due at 3s")
}

func TestTimerStoppedDuringAPauseDoesNotFire(t *testing.T) {
	w := newWorld(t)
	p := w.NewProcess("A")
	timer := p.Clock().AfterFunc(2*time.Second, func() { w.say("fired") })
	w.After(time.Second, func() { p.Pause(10*time.Second, nil) })
	w.After(5*time.Second, func() { w.say("stopped %v, again %v", timer.Stop(), timer.Stop()) })
	w.run(t)
	w.want(t, "5s: stopped true, again false")
}

func TestCrashedProcessRunsNothingMore(t *testing.T) {
	w := newWorld(t)
	p := w.NewProcess("A")
	p.Go("main", func() {
		defer w.say("deferred")
		_ = p.Clock().Sleep(bg, 2*time.Second)
		w.say("not reached")
	})
	w.After(time.Second, p.Crash)
	w.run(t)
	w.want(t)
	if err := recoverLog(w); err != nil {
		t.Fatal(err)
	}
}

// recoverLog shows that Close unwinds the task: its deferred call runs then,
// after the record has been taken.
func recoverLog(w *world) error {
	w.Close()
	if len(w.log) != 1 {
		return fmt.Errorf("deferred calls after Close: %v", w.log)
	}
	return nil
}

func TestDeferredWaitsEndAtOnceWhenUnwound(t *testing.T) {
	w := newWorld(t)
	p := w.NewProcess("A")
	p.Go("main", func() {
		defer func() { _ = p.Clock().Sleep(bg, time.Second) }()
		defer func() { _ = p.Clock().NewEvent().Wait(bg, clock.NoLimit) }()
		_ = p.Clock().NewEvent().Wait(bg, clock.NoLimit)
	})
	w.run(t)
	w.Close() // goleak in TestMain sees it if this leaves a goroutine
}

func TestClocksOfProcessesDiffer(t *testing.T) {
	w := newWorld(t)
	fast, ahead := w.NewProcess("fast"), w.NewProcess("ahead")
	fast.SetDrift(0.5)
	ahead.SetOffset(time.Minute)
	fast.Go("main", func() {
		_ = fast.Clock().Sleep(bg, 3*time.Second)
		w.say("fast shows %v", fast.Now().Sub(Epoch))
	})
	w.run(t)
	w.want(t, "2s: fast shows 3s")
	if got := ahead.Now().Sub(Epoch); got != time.Minute+2*time.Second {
		t.Errorf("ahead shows %v", got)
	}
	if got := ahead.Virtual(ahead.Now()); got != w.Now() {
		t.Errorf("Virtual(Now()) = %v", got)
	}
}

func TestLimitsAreNamed(t *testing.T) {
	for _, tc := range []struct {
		limits Limits
		want   string
	}{
		{Limits{Steps: 100}, "limit of 100 steps"},
		{Limits{Time: time.Minute}, "limit of 1m0s virtual time"},
	} {
		k := New(1, tc.limits)
		p := k.NewProcess("A")
		p.Go("main", func() {
			for {
				_ = p.Clock().Sleep(bg, time.Second)
			}
		})
		err := k.Run(t.Context())
		k.Close()
		var limit *LimitError
		if !errors.As(err, &limit) || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("got %v, want %q", err, tc.want)
		}
	}
}

func TestPanicOfATaskIsAnError(t *testing.T) {
	w := newWorld(t)
	w.NewProcess("A").Go("main", func() { panic("boom") })
	err := w.Run(t.Context())
	if err == nil || !strings.Contains(err.Error(), "task main of A panicked: boom") {
		t.Errorf("got %v", err)
	}
}

func TestTaskThatBlocksOutsideTheKernelIsReported(t *testing.T) {
	k := New(1, Limits{Stall: 20 * time.Millisecond})
	release := make(chan struct{})
	k.NewProcess("A").Go("main", func() { blockOutside(release) })
	err := k.Run(t.Context())
	var stall *StallError
	if !errors.As(err, &stall) || stall.Task != "task main of A" || !strings.Contains(stall.Stack, "blockOutside") {
		t.Errorf("got %v", err)
	}
	close(release) // so that no goroutine is left behind
	k.Close()
}

func blockOutside(c chan struct{}) { <-c }

func TestRunEndsWithItsContext(t *testing.T) {
	w := newWorld(t)
	p := w.NewProcess("A")
	ctx, cancel := context.WithCancel(t.Context())
	p.Go("main", func() {
		for {
			_ = p.Clock().Sleep(bg, time.Nanosecond)
			if w.Now() == 1000 {
				cancel()
			}
		}
	})
	if err := w.Run(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestFinishedTasksAreForgotten(t *testing.T) {
	w := newWorld(t)
	p := w.NewProcess("A")
	p.Go("main", func() {
		for range 10_000 {
			p.Go("short", func() {})
			_ = p.Clock().Sleep(bg, time.Millisecond)
		}
	})
	w.run(t)
	if len(w.tasks) > 200 {
		t.Errorf("%d tasks are kept", len(w.tasks))
	}
}

func BenchmarkTaskSwitch(b *testing.B) {
	k := New(1, Limits{Steps: 1 << 62, Time: 1 << 62})
	defer k.Close()
	for range 2 {
		p := k.NewProcess("A")
		c := p.Clock()
		p.Go("main", func() {
			for range b.N / 2 {
				_ = c.Sleep(bg, time.Nanosecond)
			}
		})
	}
	b.ResetTimer()
	if err := k.Run(b.Context()); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "switches/s")
}
