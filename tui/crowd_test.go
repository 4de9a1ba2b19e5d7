package tui

import (
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
)

func TestAKeyShowsTheLanesOfTheNextClients(t *testing.T) {
	for _, c := range []struct{ keys, first, group, notice string }{
		{"", "w1 ", "w6-w12", ""},
		{"u", "w6 ", "+7", "lanes from w6 on"},
		{"u u", "w8 ", "w1-w7", "lanes from w8 on"},
		{"u u U", "w3 ", "+7", "lanes from w3 on"},
		{"4 u", "w4 ", "+7", "lanes from w4 on"},
		{"9 9 u", "w8 ", "w1-w7", "lanes from w8 on"},
		{"U", "w1 ", "w6-w12", "lanes from w1 on"},
	} {
		a := start(t, 80, 24, Options{Lesson: "why/02-granularity"})
		press(a, strings.Fields(c.keys)...)
		wantSeen(t, a, c.notice)
		if head := strings.Split(seen(a), "\n")[1]; !strings.Contains(head, " "+c.first) || !strings.Contains(head, c.group) {
			t.Errorf("%q: the lanes are %q, want %s first and %s at the end", c.keys, head, c.first, c.group)
		}
	}
}

func TestWhereEveryClientHasALaneTheKeySaysSo(t *testing.T) {
	a := start(t, 80, 24, Options{Lesson: misDeleteID})
	press(a, "u")
	wantSeen(t, a, "every client has a lane of its own")
}

func TestASharedLaneCountsWhatItsClientsDo(t *testing.T) {
	a := start(t, 80, 24, Options{Lesson: "why/02-granularity"})
	press(a, "9", "0", "l")
	wantSeen(t, a, "w6-w12", "3 hold · 7 wait", "w10: OK")
}

func TestTheLastAndTheFirstMarkSaySo(t *testing.T) {
	a := start(t, 80, 24, Options{Lesson: misDeleteID})
	press(a, "9", "m", "m")
	wantSeen(t, a, "this is the last mark")
	press(a, "g", "M")
	wantSeen(t, a, "this is the first mark")
}

func TestASearchThatFindsNothingSaysSo(t *testing.T) {
	a := start(t, 80, 24, Options{Lesson: misDeleteID})
	press(a, "/", "x", "y", "enter")
	wantSeen(t, a, `nothing found for "xy"`)
}

// herd is a lesson of 1,000 clients and 100,000 events, opened at its end.
func herd(tb testing.TB) *app {
	tb.Helper()
	a := newApp(tb.Context(), &fakeLibrary{}, Options{}, true)
	a.Update(tea.WindowSizeMsg{Width: 120, Height: 40})
	a.player = newPlayer(Lesson{ID: "herd", Title: "A herd"}, "only")
	run := &loaded{Recording: &Recording{Trace: crowd(1000, 25_000)}}
	run.line = newTimeline(run.Trace)
	a.player.show(run, nil)
	a.player.moveTo(run.line.len() - 200)
	return a
}

// BenchmarkHerd draws a frame of 1,000 clients near the end of 100,000 events.
func BenchmarkHerd(b *testing.B) {
	a := herd(b)
	end := a.player.step
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		a.player.moveTo(end + i%64)
		a.View()
	}
}

// BenchmarkOpenHerd computes what frames need of 1,000 clients and 20,000 events.
func BenchmarkOpenHerd(b *testing.B) {
	tr := crowd(1000, 5_000)
	b.ReportAllocs()
	for b.Loop() {
		newTimeline(tr)
	}
}

func TestCountersTellWhatTheInstantHasAdded(t *testing.T) {
	a := start(t, 100, 40, Options{Lesson: misDeleteID})
	press(a, "2", "l")
	wantSeen(t, a, "requests 1 +1 · woken 0 · waiting 1")
	press(a, "l")
	wantSeen(t, a, "requests 1 · woken 0 · waiting 1")
}
