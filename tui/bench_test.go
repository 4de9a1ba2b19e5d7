package tui

import (
	"testing"

	tea "github.com/charmbracelet/bubbletea"
)

// long is a lesson of 10,000 events, opened at its middle.
func long(tb testing.TB, width, height int) *app {
	tb.Helper()
	lesson := Lesson{ID: "long", Title: "A long run", Question: "How long does a frame take?"}
	a := newApp(tb.Context(), &fakeLibrary{}, Options{}, true)
	a.Update(tea.WindowSizeMsg{Width: width, Height: height})
	a.player = newPlayer(lesson, "only")
	run := &loaded{
		Recording: &Recording{Trace: crowd(6, 2500), Texts: misDeleteTexts},
		sources:   map[string]sourceFile{acquireGo: newSourceFile(acquireGo, fixtureSources[acquireGo])},
	}
	run.line = newTimeline(run.Trace)
	if run.line.len() != 10_000 {
		tb.Fatalf("the run has %d events", run.line.len())
	}
	a.player.show(run, nil)
	a.player.moveTo(5_000)
	return a
}

// BenchmarkFrame draws a frame of 120×40 in the middle of 10,000 events, each
// time at another step. The limit is 5 ms.
func BenchmarkFrame(b *testing.B) {
	a := long(b, 120, 40)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		a.player.moveTo(5_000 + i%64)
		a.View()
	}
}

// BenchmarkOpen computes what frames need of a run of 10,000 events.
func BenchmarkOpen(b *testing.B) {
	tr := crowd(6, 2500)
	b.ReportAllocs()
	for b.Loop() {
		newTimeline(tr)
	}
}

// TestAFrameDoesNotDependOnTheLengthOfTheRun counts allocations: a frame of a
// long run makes about as many as one of a short run.
func TestAFrameDoesNotDependOnTheLengthOfTheRun(t *testing.T) {
	count := func(a *app) float64 { return testing.AllocsPerRun(20, func() { a.View() }) }
	a := long(t, 120, 40)
	a.player.moveTo(64)
	early := count(a)
	a.player.moveTo(9_984)
	if late := count(a); late > 1.5*early {
		t.Errorf("%v allocations at the beginning, %v near the end", early, late)
	}
}
