package tui

import (
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/lockstep-sim/lockstep/sim/trace"
)

// openTrace shows a trace at its end.
func openTrace(t *testing.T, lang Lang, tr *trace.Trace) *app {
	t.Helper()
	a := newApp(t.Context(), &fakeLibrary{}, Options{Lang: lang}, true)
	a.Update(tea.WindowSizeMsg{Width: 120, Height: 40})
	a.player = newPlayer(Lesson{ID: "own", Title: "own"}, "only")
	run := &loaded{Recording: &Recording{Trace: tr}}
	run.line = newTimeline(tr)
	a.player.show(run, nil)
	a.player.moveTo(run.line.len())
	return a
}

func actorsOf(store string, clients ...string) []trace.Actor {
	out := []trace.Actor{{Name: store, Role: trace.RoleStore}}
	for _, c := range clients {
		out = append(out, trace.Actor{Name: c, Role: trace.RoleClient})
	}
	return out
}

// transactions is a database in which B waits for the row that A holds.
func transactions() *trace.Trace {
	t := &tape{}
	t.add(1, trace.Event{Actor: "mysql", Kind: trace.KindNote, Text: "B waits", Sessions: []trace.SessionChange{
		{Store: "mysql", Name: "A", Actor: "A", State: "in transaction", Holds: []string{"row 1"}, Sees: "stock=3"},
		{Store: "mysql", Name: "B", Actor: "B", State: "waiting", Waits: "row 1", For: []string{"A"}},
	}})
	return t.trace(trace.Header{Actors: actorsOf("mysql", "A", "B")})
}

// queue is a queue in which each waiter watches the node before its own, and five
// watch the first one.
func queue() *trace.Trace {
	t := &tape{}
	e := trace.Event{Actor: "zk", Kind: trace.KindNote, Text: "all wait", Changes: []trace.KeyChange{
		{Store: "zk", Key: "lock-1", Value: "A#1", Session: "A"}, {Store: "zk", Key: "lock-2", Value: "B#1", Session: "B"},
	}}
	for _, c := range []string{"F", "B", "E", "C", "D"} {
		e.Watches = append(e.Watches, trace.WatchChange{Store: "zk", Actor: c, Key: "lock-1"})
	}
	e.Watches = append(e.Watches, trace.WatchChange{Store: "zk", Actor: "A", Key: "lock-2"})
	t.add(1, e)
	return t.trace(trace.Header{Actors: actorsOf("zk", "A", "B", "C", "D", "E", "F")})
}

func TestTransactionsTellWhatTheyHoldSeeAndWaitFor(t *testing.T) {
	a := openTrace(t, English, transactions())
	press(a, "tab", "tab", "z")
	wantSeen(t, a, "A in transaction · holds row 1 · sees stock=3", "B waiting · waits for row 1 (A)")
}

func TestQueuesTellWhoWatchesWhom(t *testing.T) {
	a := openTrace(t, English, queue())
	press(a, "tab", "tab", "z")
	wantSeen(t, a, "lock-1 = A#1", "watched by B, C, D +2", "lock-2 = B#1", "watched by A", "with the session of B")
	press(a, "L")
	wantSeen(t, a, "监听者：B, C, D +2")
}

func TestRowsTakeThePlaceOfBeliefsWhereNobodyIsGrantedALock(t *testing.T) {
	a := openTrace(t, English, transactions())
	wantSeen(t, a, "A holds row 1 · waiting for row 1: B")
	a.player.moveTo(0)
	wantSeen(t, a, "no row is locked")
}

func TestTheOwnerStandsAtTheStoreThatSaidSoLast(t *testing.T) {
	tape := &tape{}
	for i, name := range []string{"zk1", "zk2"} {
		owner := string(rune('A' + i))
		tape.add(int64(i+1), trace.Event{
			Actor: name, Kind: trace.KindNote, Text: "x", Truths: []trace.Truth{{Lock: "k", Owner: owner}},
		})
	}
	actors := append(actorsOf("zk1"), actorsOf("zk2", "A", "B")...)
	a := openTrace(t, English, tape.trace(trace.Header{Lock: "k", Actors: actors}))
	for step, want := range []int{0, 0, 1} {
		a.player.moveTo(step)
		v := a.scene().laneView(a.width)
		if got := v.set.lanes[v.truthLane(step)].name; got != actors[want].Name {
			t.Errorf("step %d: the owner stands at %s", step, got)
		}
	}
}
