package record

import (
	"context"
	"errors"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/lockstep-sim/lockstep/impl/lock"
	localanti "github.com/lockstep-sim/lockstep/impl/lock/antipattern"
	"github.com/lockstep-sim/lockstep/sim/check"
	"github.com/lockstep-sim/lockstep/sim/kernel"
	"github.com/lockstep-sim/lockstep/sim/trace"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func start(t *testing.T, checks ...check.Invariant) (*kernel.Kernel, *Recorder) {
	k := kernel.New(1, kernel.Limits{})
	t.Cleanup(k.Close)
	return k, New(k, trace.Header{Lock: "l", Actors: []trace.Actor{{Name: "A", Role: trace.RoleClient}}}, checks)
}

// grant is a lease that ends at until on the clock of p.
func grant(p *kernel.Process, until time.Duration) *lease {
	return &lease{lock.NewGrant(p.Clock(), lock.GrantInfo{
		Key: "l", Owner: "A#1", Deadline: p.Now().Add(until),
	})}
}

type lease struct{ *lock.Grant }

func (l *lease) Release(context.Context) error { l.End(lock.ErrReleased); return nil }

func TestBeliefTravelsWithTheNextEventOfTheClient(t *testing.T) {
	k, r := start(t)
	p := k.NewProcess("A")
	p.Go("main", func() {
		r.Hold(p, grant(p, time.Minute), false)
		r.Add(trace.Event{Actor: "A", Kind: trace.KindReturn, Text: "acquire: ok"})
		k.Stop()
	})
	if err := k.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	tr := r.Finish(false)
	want := trace.Belief{Actor: "A", Lock: "l", Holds: true, Owner: "A#1", Until: int64(time.Minute)}
	if tr.Len() != 1 || len(tr.Event(1).Beliefs) != 1 || tr.Event(1).Beliefs[0] != want {
		t.Errorf("got %+v", tr.Event(1))
	}
}

func TestALeaseThatRunsOutIsAnEventOfItsOwn(t *testing.T) {
	k, r := start(t)
	p := k.NewProcess("A")
	p.Go("main", func() {
		r.Hold(p, grant(p, time.Second), false)
		r.Add(trace.Event{Actor: "A", Kind: trace.KindReturn})
	})
	if err := k.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	tr := r.Finish(true)
	last := tr.Event(tr.Len())
	if last.Kind != trace.KindBelief || last.At != int64(time.Second) || last.Beliefs[0].Holds {
		t.Errorf("got %+v", last)
	}
}

func TestACrashedClientBelievesNothing(t *testing.T) {
	k, r := start(t)
	p := k.NewProcess("A")
	p.Go("main", func() {
		r.Hold(p, grant(p, time.Minute), false)
		r.Add(trace.Event{Actor: "A", Kind: trace.KindReturn})
		r.Add(trace.Event{Actor: "A", Kind: trace.KindFault, State: trace.StateCrashed})
		k.Stop()
	})
	if err := k.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	tr := r.Finish(false)
	w := tr.At(tr.Len())
	if got := w.Believers("l"); len(got) != 0 {
		t.Errorf("believers: %v", got)
	}
}

func TestNothingIsAddedAfterTheEnd(t *testing.T) {
	_, r := start(t)
	r.Add(trace.Event{Text: "before"})
	tr := r.Finish(true)
	r.Add(trace.Event{Text: "after"})
	if tr.Len() != 1 || r.Len() != 1 {
		t.Errorf("%d events", r.Len())
	}
}

func TestTheLengthOfARecordIsLimited(t *testing.T) {
	k, r := start(t)
	p := k.NewProcess("A")
	p.Go("main", func() {
		for {
			r.Add(trace.Event{Actor: "A", Kind: trace.KindNote})
			_ = p.Clock().Sleep(t.Context(), time.Nanosecond)
		}
	})
	err := k.Run(t.Context())
	var limit *kernel.LimitError
	if !errors.As(err, &limit) || limit.Limit != "events" {
		t.Errorf("got %v", err)
	}
}

func TestTheSourceIsTheInnermostLineOfImpl(t *testing.T) {
	k, r := start(t)
	p := k.NewProcess("A")
	p.Go("main", func() {
		l := localanti.NewLocalMutex(observed{p.Clock(), r})
		if _, err := l.TryAcquire(t.Context(), "l"); err != nil {
			t.Error(err)
		}
		k.Stop()
	})
	if err := k.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	tr := r.Finish(false)
	if got := tr.Event(1).Source.File; got != "impl/lock/grant.go" {
		t.Errorf("got %v", tr.Event(1).Source)
	}
}

func TestViolationsCarryTheirStep(t *testing.T) {
	info, _ := check.Find("no-oversell")
	_, r := start(t, info.New(check.Setup{Min: map[string]int{"stock": 0}}))
	r.Add(trace.Event{Text: "fine"})
	r.Add(trace.Event{Kind: trace.KindExec, Write: &trace.Write{Name: "stock", Value: "-1", Accepted: true}})
	tr := r.Finish(true)
	if v := tr.Violations(); len(v) != 1 || v[0].Step != 2 || v[0].Invariant != "no-oversell" {
		t.Errorf("got %+v", v)
	}
	if got := tr.Header().Checks; len(got) != 1 || got[0] != "no-oversell" {
		t.Errorf("checks: %v", got)
	}
}
