package trace

import (
	"encoding/json"
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

var actors = []Actor{{"A", RoleClient}, {"redis", RoleStore}, {"B", RoleClient}}

// generate makes a plausible run of n events.
func generate(n int, pick func(max int) int) *Trace {
	events := make([]Event, 0, n)
	now := int64(0)
	for i := range n {
		now += int64(pick(3)) * int64(time.Millisecond)
		events = append(events, event(i+1, now, pick))
	}
	return New(Header{Scenario: "test", Lock: "lock", Actors: actors}, events,
		[]Mark{{Name: "late", At: now}, {Name: "early", At: 0}})
}

func event(step int, now int64, pick func(max int) int) Event {
	client := []string{"A", "B"}[pick(2)]
	e := Event{Step: step, At: now, Actor: client, Peer: "redis", Msg: step/3 + 1, Text: "SET lock " + client}
	switch step % 3 {
	case 0:
		e.Kind = KindSend
	case 1:
		e.Kind, e.Actor, e.Peer, e.Reply = KindExec, "redis", client, "OK"
		e.Changes = []KeyChange{{Store: "redis", Key: "lock", Value: client, Deleted: pick(3) == 0, Expires: now + 100}}
		e.Truths = []Truth{{Lock: "lock", Owner: client}}
	case 2:
		e.Kind = KindReceive
		e.Beliefs = []Belief{{Actor: client, Lock: "lock", Holds: pick(2) == 0, Until: now + 100}}
		if pick(20) == 0 {
			e.Violations = []Violation{{"mutual-exclusion", "A and B"}}
		}
		if pick(10) == 0 {
			e.State = StatePaused
		}
	}
	return e
}

// TestAnyStepIsTheSameByJumpAndByWalk compares the world rebuilt from the
// nearest stored one with the world after applying every event from the start.
func TestAnyStepIsTheSameByJumpAndByWalk(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pick := func(max int) int { return rapid.IntRange(0, max-1).Draw(t, "pick") }
		tr := generate(rapid.IntRange(0, 3*interval).Draw(t, "length"), pick)
		h := tr.Header()
		walked := h.Start()
		compareWorlds(t, tr.At(0), walked)
		for i := 1; i <= tr.Len(); i++ {
			walked.Apply(tr.Event(i))
			compareWorlds(t, tr.At(i), walked)
		}
	})
}

func compareWorlds(t *rapid.T, jumped, walked World) {
	if fmt.Sprintf("%+v", jumped) != fmt.Sprintf("%+v", walked) {
		t.Fatalf("step %d: jumped to\n%+v\nwalked to\n%+v", walked.Step, jumped, walked)
	}
}

func TestTheWorldOfAStepBelongsToTheCaller(t *testing.T) {
	tr := generate(10, func(int) int { return 0 })
	before := tr.At(5)
	w := tr.At(5)
	w.Apply(tr.Event(6))
	w.Actors[0].Beliefs = append(w.Actors[0].Beliefs, Belief{Lock: "other"})
	w.Keys[KeyID{"redis", "other"}] = KeyChange{}
	if !reflect.DeepEqual(before, tr.At(5)) {
		t.Error("changing one world changed the trace")
	}
}

func TestStepsOutOfRangeAreTheNearestOnes(t *testing.T) {
	tr := generate(10, func(int) int { return 1 })
	if got := tr.At(-1).Step; got != 0 {
		t.Errorf("At(-1) is step %d", got)
	}
	if got := tr.At(99).Step; got != 10 {
		t.Errorf("At(99) is step %d", got)
	}
}

func TestStepsAreFoundByTime(t *testing.T) {
	ms := int64(time.Millisecond)
	events := []Event{{Step: 1, At: 0}, {Step: 2, At: 5 * ms}, {Step: 3, At: 5 * ms}, {Step: 4, At: 9 * ms}}
	tr := New(Header{}, events, []Mark{{Name: "b", At: 6 * ms}, {Name: "a", At: 5 * ms}})
	for _, tc := range []struct{ at, first, last int64 }{
		{0, 1, 1}, {1 * ms, 2, 1}, {5 * ms, 2, 3}, {6 * ms, 4, 3}, {9 * ms, 4, 4}, {99 * ms, 4, 4},
	} {
		if got := tr.StepAt(tc.at); got != int(tc.first) {
			t.Errorf("StepAt(%v) = %d, want %d", time.Duration(tc.at), got, tc.first)
		}
		if got := tr.StepBefore(tc.at); got != int(tc.last) {
			t.Errorf("StepBefore(%v) = %d, want %d", time.Duration(tc.at), got, tc.last)
		}
	}
	if m := tr.Marks(); m[0].Name != "a" || m[0].Step != 3 || m[1].Step != 4 {
		t.Errorf("marks: %+v", m)
	}
}

func TestMessagesUnderWay(t *testing.T) {
	events := []Event{
		{Step: 1, Kind: KindSend, Actor: "A", Peer: "redis", Msg: 1, Text: "GET k"},
		{Step: 2, Kind: KindSend, Actor: "B", Peer: "redis", Msg: 2, Text: "SET k"},
		{Step: 3, Kind: KindExec, Actor: "redis", Peer: "A", Msg: 1, Reply: "v"},
		{Step: 4, Kind: KindReceive, Actor: "A", Peer: "redis", Msg: 1},
		{Step: 5, Kind: KindLost, Actor: "B", Peer: "redis", Msg: 2},
	}
	tr := New(Header{Actors: actors}, events, nil)
	var got []string
	for i := 1; i <= tr.Len(); i++ {
		var under []string
		for _, m := range tr.At(i).InFlight {
			under = append(under, m.From+">"+m.To+" "+m.Text)
		}
		got = append(got, strings.Join(under, ", "))
	}
	want := []string{"A>redis GET k", "A>redis GET k, B>redis SET k", "redis>A v, B>redis SET k", "B>redis SET k", ""}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %q", got)
	}
}

func TestJSONNamesEveryField(t *testing.T) {
	doing := "work 1s"
	tr := New(Header{Scenario: "redis/02", Variant: "v", Lock: "l", Actors: actors}, []Event{{
		Step: 1, At: 5, Actor: "A", Kind: KindSend, Text: "SET", Peer: "redis", Msg: 1, Doing: &doing,
		Source: Source{"impl/redislock/mutex.go", 7},
	}}, nil)
	b, err := json.Marshal(tr)
	if err != nil {
		t.Fatal(err)
	}
	want := `"events":[{"step":1,"at_ns":5,"actor":"A","kind":"send","text":"SET","peer":"redis","msg":1,` +
		`"source":"impl/redislock/mutex.go:7","doing":"work 1s"}]`
	if !strings.Contains(string(b), want) || !strings.HasPrefix(string(b), `{"version":1,`) {
		t.Errorf("got %s", b)
	}
}

func TestInstant(t *testing.T) {
	for ns, want := range map[int64]string{
		0: "0ms", 1: "0.000001ms", 403e6: "403ms", 1e9: "1s", 75_003e6: "75.003s", 600e9: "10m0s", -5e6: "-5ms",
	} {
		if got := Instant(ns); got != want {
			t.Errorf("Instant(%d) = %q, want %q", ns, got, want)
		}
		if d, err := time.ParseDuration(want); err != nil || int64(d) != ns {
			t.Errorf("%q does not parse back: %v, %v", want, d, err)
		}
	}
}

// long is a trace of 10,000 events, as large as a lesson ever gets.
func long() *Trace {
	n := 0
	return generate(10_000, func(max int) int { n = (n*1103515245 + 12345) & 0x7fffffff; return (n >> 8) % max })
}

func BenchmarkStateAtAnyStep(b *testing.B) {
	tr := long()
	step := 0
	for b.Loop() {
		step = (step + 7919) % tr.Len()
		_ = tr.At(step)
	}
}

// BenchmarkMemory reports the size of a trace of 10,000 events.
func BenchmarkMemory(b *testing.B) {
	var before, after runtime.MemStats
	for b.Loop() {
		runtime.GC()
		runtime.ReadMemStats(&before)
		tr := long()
		runtime.GC()
		runtime.ReadMemStats(&after)
		runtime.KeepAlive(tr)
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/1e6, "MB/trace")
	}
}
