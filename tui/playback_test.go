package tui

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "github.com/charmbracelet/bubbletea"
)

func TestPauseGrowsWithTheGapButShortensLongOnes(t *testing.T) {
	step, second, hour := pause(ms, 1), pause(1000*ms, 1), pause(3600*1000*ms, 1)
	if step >= second || second >= hour {
		t.Errorf("pauses do not grow: %v, %v, %v", step, second, hour)
	}
	if step < 300*time.Millisecond || hour > 3*time.Second {
		t.Errorf("too short or too long to follow: %v, %v", step, hour)
	}
	if got, want := pause(ms, 2), step/2; (got - want).Abs() > time.Microsecond {
		t.Errorf("twice the speed: got %v, want %v", got, want)
	}
}

// TestPlayingGoesThroughTheRunAndStops plays a run in virtual time, as a program
// would: each command is performed and its message passed on.
func TestPlayingGoesThroughTheRunAndStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := start(t, 80, 24, Options{Lesson: misDeleteID})
		began := time.Now()
		steps := play(a, " ")
		if steps != 40 || a.player.playing {
			t.Errorf("played %d steps, playing: %v", steps, a.player.playing)
		}
		if d := time.Since(began); d < 15*time.Second || d > 40*time.Second {
			t.Errorf("40 steps took %v", d)
		}
		if steps = play(a, " "); steps != 40 {
			t.Errorf("played %d steps from the beginning again", steps)
		}
	})
}

// play presses a key and follows the ticks until they end. It returns their
// number.
func play(a *app, key string) int {
	_, cmd := a.Update(keyMsg(key))
	n := 0
	for cmd != nil {
		_, cmd = a.Update(cmd())
		n++
	}
	return n
}

func TestPlayingCanBePausedAndDoesNotDouble(t *testing.T) {
	a := start(t, 80, 24, Options{Lesson: misDeleteID})
	press(a, " ")
	old := tickMsg{a.player.playRun}
	wantSeen(t, a, "▶ 1×")
	press(a, " ", " ") // paused and begun again while the old tick was under way
	a.Update(old)
	wantStep(t, a, 0)
	a.Update(tickMsg{a.player.playRun})
	wantStep(t, a, 1)
	press(a, " ")
	a.Update(tickMsg{a.player.playRun})
	wantStep(t, a, 1)
}

func TestATickAfterLeavingThePlayerIsIgnored(t *testing.T) {
	a := start(t, 80, 24, Options{Lesson: misDeleteID})
	press(a, " ")
	tick := tickMsg{a.player.playRun}
	press(a, "q")
	var cmd tea.Cmd
	if _, cmd = a.Update(tick); cmd != nil {
		t.Error("a tick is answered by another one though nothing plays")
	}
}

func TestSpeedChangesWithinBounds(t *testing.T) {
	a := start(t, 80, 24, Options{Lesson: misDeleteID})
	press(a, "+")
	wantSeen(t, a, "playing speed 2×")
	press(a, strings.Fields("+ + + + + +")...)
	wantSeen(t, a, "playing speed 16×")
	press(a, strings.Fields("- - - - - - - - -")...)
	wantSeen(t, a, "playing speed 0.25×")
}
