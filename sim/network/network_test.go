package network

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/lockstep-sim/lockstep/impl/clock"
	"github.com/lockstep-sim/lockstep/sim/kernel"
	"github.com/lockstep-sim/lockstep/sim/record"
	"github.com/lockstep-sim/lockstep/sim/trace"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const ms = time.Millisecond

// exchange runs a client that sends the given commands to a server, 10 ms apart,
// without waiting for answers, and returns what happened as "kind text time".
func exchange(t *testing.T, faults *Faults, commands ...string) []string {
	t.Helper()
	k := kernel.New(1, kernel.Limits{})
	defer k.Close()
	rec := record.New(k, trace.Header{Actors: []trace.Actor{{Name: "A"}, {Name: "S"}}}, nil)
	n := New(k, rec, ms, faults)
	p := k.NewProcess("A")
	link := n.Dial(p, "S")
	p.Go("main", func() {
		for _, c := range commands {
			r := &Request{Command: c, Text: c}
			link.Send(r, func() {
				rec.Add(trace.Event{Actor: "S", Kind: trace.KindExec, Text: c, Peer: "A", Msg: r.ID})
				link.Answer(r, "OK", func() {})
			})
			_ = p.Clock().Sleep(context.Background(), 10*ms)
		}
		_ = p.Clock().NewEvent().Wait(context.Background(), clock.NoLimit)
	})
	if err := k.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	var out []string
	tr := rec.Finish(true)
	for i := 1; i <= tr.Len(); i++ {
		e := tr.Event(i)
		out = append(out, fmt.Sprintf("%s %s %s", e.Kind, e.Text, trace.Instant(e.At)))
	}
	return out
}

func TestPointsOfAnExchange(t *testing.T) {
	rule := func(p Point, do Action) *Faults {
		return &Faults{Rules: []*Rule{{Actor: "A", Command: "SET", Nth: 1, Point: p, Do: do}}}
	}
	for name, tc := range map[string]struct {
		faults *Faults
		want   []string
	}{
		"none":          {&Faults{}, []string{"send SET 0ms", "exec SET 1ms", "recv SET 2ms", "send GET 10ms", "exec GET 11ms", "recv GET 12ms"}},
		"lost request":  {rule(OnRequest, Drop{}), []string{"send SET 0ms", "lost the request is lost 1ms", "send GET 10ms", "exec GET 11ms", "recv GET 12ms"}},
		"lost answer":   {rule(OnReply, Drop{}), []string{"send SET 0ms", "exec SET 1ms", "lost the answer is lost 2ms", "send GET 10ms", "exec GET 11ms", "recv GET 12ms"}},
		"delay":         {rule(OnReply, Delay{5 * ms}), []string{"send SET 0ms", "exec SET 1ms", "recv SET 7ms", "send GET 10ms", "exec GET 11ms", "recv GET 12ms"}},
		"keeps order":   {rule(OnRequest, Hold{20 * ms}), []string{"send SET 0ms", "send GET 10ms", "exec SET 20ms", "exec GET 20ms", "recv SET 21ms", "recv GET 21ms"}},
		"crash before":  {rule(BeforeSend, Crash{}), []string{"fault crashes 0ms"}},
		"crash after":   {rule(AfterReceive, Crash{}), []string{"send SET 0ms", "exec SET 1ms", "recv SET 2ms", "fault crashes 2ms"}},
		"pause before":  {rule(BeforeSend, Pause{5 * ms}), []string{"fault is paused for 5ms 0ms", "resume resumes 5ms", "send SET 5ms", "exec SET 6ms", "recv SET 7ms", "send GET 15ms", "exec GET 16ms", "recv GET 17ms"}},
		"pause after":   {rule(AfterReceive, Pause{20 * ms}), []string{"send SET 0ms", "exec SET 1ms", "recv SET 2ms", "fault is paused for 20ms 2ms", "resume resumes 22ms", "send GET 22ms", "exec GET 23ms", "recv GET 24ms"}},
		"other command": {&Faults{Rules: []*Rule{{Actor: "A", Command: "GET", Nth: 2, Point: OnReply, Do: Drop{}}}}, []string{"send SET 0ms", "exec SET 1ms", "recv SET 2ms", "send GET 10ms", "exec GET 11ms", "recv GET 12ms"}},
		"partition": {&Faults{Partitions: []Partition{{A: []string{"S"}, B: []string{"A"}, From: 5 * ms, Until: 50 * ms}}}, []string{
			"send SET 0ms", "exec SET 1ms", "recv SET 2ms", "send GET 10ms", "lost the request is lost 11ms"}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := exchange(t, tc.faults, "SET", "GET"); !slices.Equal(got, tc.want) {
				t.Errorf("got\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(tc.want, "\n  "))
			}
		})
	}
}

func TestARuleIsHitOnlyWhereTheRunComes(t *testing.T) {
	f := &Faults{Rules: []*Rule{
		{Actor: "A", Command: "SET", Nth: 1, Point: OnReply, Do: Drop{}},
		{Actor: "A", Command: "SET", Nth: 2, Point: OnReply, Do: Drop{}},
		{Actor: "B", Command: "SET", Nth: 1, Point: OnReply, Do: Drop{}},
	}}
	exchange(t, f, "SET")
	for i, want := range []bool{true, false, false} {
		if got := f.Rules[i].Hit(); got != want {
			t.Errorf("rule %d: hit %v", i, got)
		}
	}
}

func TestAnAnswerWaitsForTheEndOfAPause(t *testing.T) {
	f := &Faults{Rules: []*Rule{{Actor: "A", Command: "GET", Nth: 1, Point: BeforeSend, Do: Pause{30 * ms}},
		{Actor: "A", Command: "SET", Nth: 1, Point: OnReply, Do: Delay{15 * ms}}}}
	got := exchange(t, f, "SET", "GET")
	if i := slices.Index(got, "recv SET 40ms"); i < 0 {
		t.Errorf("the answer did not wait for the pause: %q", got)
	}
}
