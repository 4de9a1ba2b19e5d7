package tui

import (
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// straight is the screen of a step of a variant for somebody who has opened it
// and gone there directly.
func straight(t testing.TB, variant string, step int) string {
	a := start(t, 100, 30, Options{Lesson: misDeleteID, Variant: variant})
	press(a, digits(step)...)
	press(a, "l")
	return a.View()
}

func digits(n int) []string { return strings.Split(strconv.Itoa(n), "") }

// TestAnyWayToAStepShowsTheSame walks at random through steps, marks, hits,
// ends and variants, and compares with the straight way.
func TestAnyWayToAStepShowsTheSame(t *testing.T) {
	moves := []string{"l", "h", "right", "left", "m", "M", "g", "G", "v", "V", "n", "N", "j", "k", "pgup", "pgdown", "3", "1"}
	rapid.Check(t, func(r *rapid.T) {
		a := start(t, 100, 30, Options{Lesson: misDeleteID})
		press(a, rapid.SliceOfN(rapid.SampledFrom(moves), 1, 60).Draw(r, "moves")...)
		press(a, "esc") // a count that was begun shows nowhere, but is part of the state
		if a.player == nil {
			press(a, "enter")
		}
		press(a, rapid.SliceOfN(rapid.SampledFrom(moves), 1, 60).Draw(r, "more")...)
		a.notice, a.player.count = "", 0 // what a key has left, not what a step shows
		want := straight(t, a.player.variant, a.player.step)
		if a.player.step == 0 {
			want = start(t, 100, 30, Options{Lesson: misDeleteID, Variant: a.player.variant}).View()
		}
		if got := a.View(); got != want {
			r.Fatalf("step %d of %s:\n%s\nstraight:\n%s", a.player.step, a.player.variant, got, want)
		}
	})
}

func TestSwitchingVariantsKeepsTheInstant(t *testing.T) {
	a := start(t, 100, 30, Options{Lesson: misDeleteID})
	press(a, "2", "1", "l") // A sends its DEL at 402 ms, the second event of that time
	before := a.View()
	at := a.player.line().at(21)
	press(a, "v")
	if got := a.player.line().at(a.player.step); a.player.variant != "compare-and-delete" || got != at {
		t.Errorf("variant %s at %d ns, want compare-and-delete at %d ns", a.player.variant, got, at)
	}
	press(a, "v")
	if a.View() != before {
		t.Errorf("switching there and back shows another screen:\n%s\nwant:\n%s", a.View(), before)
	}
}

func TestSwitchingVariantsAtTheBeginningStaysThere(t *testing.T) {
	a := start(t, 100, 30, Options{Lesson: misDeleteID})
	press(a, "v")
	wantStep(t, a, 0)
}

func TestARunIsOpenedOnce(t *testing.T) {
	a := start(t, 100, 30, Options{Lesson: misDeleteID})
	press(a, "v", "v", "V", "q", "enter")
	if got := len(a.lib.(*fakeLibrary).opened); got != 2 {
		t.Errorf("the library was asked %d times for two variants", got)
	}
}

func TestTheOtherLanguageKeepsThePlace(t *testing.T) {
	a := start(t, 100, 30, Options{Lesson: misDeleteID})
	press(a, "2", "1", "l", "tab")
	before := a.View()
	press(a, "L")
	wantSeen(t, a, "DEL 删掉了别人的锁", "存储")
	press(a, "L")
	if a.View() != before {
		t.Error("switching the language there and back shows another screen")
	}
}
