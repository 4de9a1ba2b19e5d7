package tui

import (
	"slices"
	"testing"

	"github.com/lockstep-sim/lockstep/sim/trace"
)

// rowsOf are the kinds of the rows of a step.
func rowsOf(t *timeline, step int) []rowKind {
	var kinds []rowKind
	for _, r := range t.rows {
		if r.step == step {
			kinds = append(kinds, r.kind)
		}
	}
	return kinds
}

func TestTimelineHasARowForEveryStepSilenceAndContradiction(t *testing.T) {
	line := newTimeline(misDelete("del-unlock"))
	for _, c := range []struct {
		name string
		step int
		want []rowKind
	}{
		{"the beginning", 0, []rowKind{rowEvent}},
		{"a step at once", 2, []rowKind{rowEvent}},
		{"98 ms of silence before B tries", 7, []rowKind{rowGap, rowEvent}},
		{"A works on without a lease", 12, []rowKind{rowGap, rowEvent, rowParted}},
		{"DEL takes B's lock", 22, []rowKind{rowEvent, rowParted, rowBroken}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := rowsOf(line, c.step); !slices.Equal(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
			if r := line.rows[line.rowOf[c.step]]; r.kind != rowEvent || r.step != c.step {
				t.Errorf("rowOf leads to %+v", r)
			}
		})
	}
}

func TestClaimsAreComparedWithTheStore(t *testing.T) {
	broken, pause := newTimeline(misDelete("del-unlock")), newTimeline(longPause())
	const a, b, c = 0, 1, 2
	for _, want := range []struct {
		name  string
		line  *timeline
		step  int
		actor int
		claim claim
	}{
		{"A has asked", broken, 2, a, claimNone},
		{"granted, but not told", broken, 3, a, claimNone},
		{"answered, but not told by its own code", broken, 4, a, claimNone},
		{"told", broken, 5, a, claimHolds},
		{"its lease is over, it works", broken, 12, a, claimWorks},
		{"it releases", broken, 20, a, claimNone},
		{"B's lock is deleted", broken, 22, b, claimDoubts},
		{"C holds it", broken, 29, c, claimHolds},
		{"A sleeps, its lease lasts", pause, 7, a, claimHolds},
		{"A sleeps, its lease is over", pause, 8, a, claimDoubts},
		{"A wakes up and learns it", pause, 21, a, claimWorks},
		{"B has crashed", pause, 26, b, claimNone},
	} {
		if got := want.line.lane(want.step, want.actor).claim; got != want.claim {
			t.Errorf("%s (step %d): got %d, want %d", want.name, want.step, got, want.claim)
		}
	}
}

func TestPartedNamesTheStepWhereItBegan(t *testing.T) {
	line := newTimeline(misDelete("del-unlock"))
	for step, want := range map[int]int32{11: 0, 12: 12, 16: 12, 20: 0, 22: 22, 30: 22, 40: 0} {
		if got := line.parted[step]; got != want {
			t.Errorf("step %d: parted at %d, want %d", step, got, want)
		}
	}
}

func TestLegsFollowMessages(t *testing.T) {
	line := newTimeline(longPause())
	for _, c := range []struct {
		name string
		step int
		want leg
	}{
		{"a request", 2, leg{arrives: 3}},
		{"an execution", 3, leg{arrives: 4, left: 2}},
		{"an answer has arrived", 4, leg{left: 3}},
		{"a request is lost", 18, leg{arrives: 19, lost: true}},
		{"a request is still under way at the end", 27, leg{}},
		{"no message", 5, leg{}},
	} {
		if got := line.legs[c.step]; got != c.want {
			t.Errorf("%s (step %d): got %+v, want %+v", c.name, c.step, got, c.want)
		}
	}
}

func TestALateMessageIsKnownToBe(t *testing.T) {
	line := newTimeline(late())
	for step, want := range map[int]int64{1: 0, 2: ms, 3: 3000 * ms} {
		if got := line.underWay(step); got != want {
			t.Errorf("step %d: under way for %d ns, want %d", step, got, want)
		}
	}
}

func TestLeaseIsAsTheClientReckons(t *testing.T) {
	line := newTimeline(misDelete("del-unlock"))
	if span, ok := line.lease(6, 0); !ok || span.at != 2*ms || span.until != 300*ms {
		t.Errorf("A after its grant: %+v, %v", span, ok)
	}
	for _, step := range []int{3, 12} {
		if span, ok := line.lease(step, 0); ok {
			t.Errorf("A at step %d: %+v, want none", step, span)
		}
	}
}

func TestMarks(t *testing.T) {
	line := newTimeline(misDelete("del-unlock"))
	if m := line.marksAt(0); len(m) != 0 {
		t.Errorf("before the first step: %v", m)
	}
	if m := line.marksAt(15); len(m) != 1 || m[0].Name != "a-expires" {
		t.Errorf("at step 15: %v", m)
	}
	if !line.marked(12) || line.marked(13) {
		t.Error("the mark a-expires is on step 12 and on no other")
	}
	for _, c := range []struct{ step, direction, want int }{{0, 1, 2}, {2, 1, 12}, {12, -1, 2}, {2, -1, -1}, {40, 1, -1}} {
		if got := line.nextMark(c.step, c.direction); got != c.want {
			t.Errorf("from %d by %d: got %d, want %d", c.step, c.direction, got, c.want)
		}
	}
}

func TestMarksOnOneStepAreToldTogether(t *testing.T) {
	tr := trace.New(trace.Header{}, []trace.Event{{Step: 1, At: 5}}, []trace.Mark{{Name: "a", At: 3}, {Name: "b", At: 4}})
	if m := newTimeline(tr).marksAt(1); len(m) != 2 {
		t.Errorf("got %v", m)
	}
}

func TestLanesPutStoresInTheMiddleAndFoldWhatHasNoRoom(t *testing.T) {
	actors := func(clients int) []trace.Actor {
		var out []trace.Actor
		for i := range clients {
			out = append(out, trace.Actor{Name: string(rune('A' + i)), Role: trace.RoleClient})
		}
		return append(out, trace.Actor{Name: "redis", Role: trace.RoleStore}, trace.Actor{Name: "stock", Role: trace.RoleResource})
	}
	for _, c := range []struct {
		clients, width, first int
		want                  []string
	}{
		{1, 60, 0, []string{"A", "redis", "stock"}},
		{2, 60, 0, []string{"A", "redis", "stock", "B"}},
		{3, 60, 0, []string{"A", "B", "redis", "stock", "C"}},
		{3, 24, 0, []string{"A", "redis", "B", "+2"}},
		{12, 100, 0, []string{"A", "B", "redis", "stock", "C", "D", "E-L"}},
		{12, 100, 4, []string{"E", "F", "redis", "stock", "G", "H", "+8"}},
		{12, 100, 99, []string{"I", "J", "redis", "stock", "K", "L", "A-H"}},
		{3, 6, 0, []string{"+5"}},
	} {
		set := layLanes(actors(c.clients), c.width, c.first)
		var names []string
		for _, l := range set.lanes {
			names = append(names, l.name)
		}
		if !slices.Equal(names, c.want) {
			t.Errorf("%d clients on %d columns: got %v, want %v", c.clients, c.width, names, c.want)
		}
	}
}
