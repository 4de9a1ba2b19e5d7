package tui

import (
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
)

// click presses the left button where a text stands on the screen.
func click(t *testing.T, a *app, text string) tea.Msg {
	t.Helper()
	for y, line := range strings.Split(seen(a), "\n") {
		if before, _, ok := strings.Cut(line, text); ok {
			return mouseAt(a, width(before), y, tea.MouseButtonLeft)
		}
	}
	t.Fatalf("%q is not on the screen:\n%s", text, seen(a))
	return nil
}

func mouseAt(a *app, x, y int, button tea.MouseButton) tea.Msg {
	_, cmd := a.Update(tea.MouseMsg{X: x, Y: y, Button: button})
	return finish(a, cmd)
}

func TestAClickOnARowGoesThere(t *testing.T) {
	a := start(t, 80, 24, Options{Lesson: misDeleteID})
	click(t, a, "work 400ms")
	wantStep(t, a, 6)
	press(a, "1", "6", "l")
	click(t, a, "≠ B still") // a row that belongs to a step leads to it
	wantStep(t, a, 22)
}

func TestAClickBelowTheLastRowDoesNothing(t *testing.T) {
	a := start(t, 80, 60, Options{Lesson: misDeleteID})
	press(a, "f", "2", "l")
	r := a.layout().panes[paneLanes]
	mouseAt(a, 20, r.y+r.h-1, tea.MouseButtonLeft)
	wantStep(t, a, 2)
}

func TestAClickOnAPaneGivesItTheFocus(t *testing.T) {
	a := start(t, 80, 24, Options{Lesson: misDeleteID})
	for text, want := range map[string]pane{
		"invariants so far": paneInvariants, "mutual exclusion": paneInvariants,
		"store · redis": paneStore, "question": paneNarration,
	} {
		click(t, a, text)
		if a.player.focus != want {
			t.Errorf("a click on %q gives the focus to %d, want %d", text, a.player.focus, want)
		}
	}
}

func TestTheWheelStepsOverTheLanesAndScrollsElsewhere(t *testing.T) {
	a := start(t, 80, 24, Options{Lesson: misDeleteID})
	for range 3 {
		mouseAt(a, 20, 5, tea.MouseButtonWheelDown)
	}
	wantStep(t, a, 3)
	mouseAt(a, 20, 5, tea.MouseButtonWheelUp)
	wantStep(t, a, 2)
	code := a.layout().panes[paneCode]
	before := seen(a)
	mouseAt(a, code.x+2, code.y+1, tea.MouseButtonWheelDown)
	wantStep(t, a, 2)
	if seen(a) == before {
		t.Error("the wheel over the code does not scroll it")
	}
}

func TestClicksInTheList(t *testing.T) {
	a := start(t, 80, 24, Options{})
	click(t, a, "A long pause")
	wantSeen(t, a, "▸ A long pause", "Does it still hold")
	click(t, a, "Locks on Redis") // a chapter is nothing to choose
	wantSeen(t, a, "▸ A long pause")
	mouseAt(a, 5, 5, tea.MouseButtonWheelUp)
	wantSeen(t, a, "▸ Failover")
	const row = 7 // of the last lesson
	mouseAt(a, 5, row, tea.MouseButtonLeft)
	wantSeen(t, a, "▸ A long pause")
	mouseAt(a, 5, row, tea.MouseButtonLeft)
	wantSeen(t, a, "0/27")
}

func TestTheWheelScrollsPages(t *testing.T) {
	a := start(t, 40, 12, Options{Lesson: misDeleteID})
	press(a, "?")
	mouseAt(a, 1, 1, tea.MouseButtonWheelDown)
	wantSeen(t, a, "▲")
}
