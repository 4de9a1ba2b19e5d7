package tui

import (
	"context"
	"errors"
	"reflect"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
)

func TestNothingIsShownIfTheContextHasEnded(t *testing.T) {
	why := errors.New("somebody was faster")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(why)
	out := newScreen()
	if err := run(ctx, &fakeLibrary{}, Options{}, tea.WithInput(nil), tea.WithOutput(out)); !errors.Is(err, why) {
		t.Errorf("got %v", err)
	}
	if out.buf.Len() > 0 {
		t.Errorf("wrote %q", out.buf.Bytes())
	}
}

func TestCtrlZSuspendsWhereverTheUserIs(t *testing.T) {
	for name, tt := range map[string]struct {
		width  int
		lesson string
		keys   []string
	}{
		"list":      {80, "", nil},
		"filter":    {80, "", []string{"/", "x"}},
		"player":    {80, misDeleteID, nil},
		"search":    {80, misDeleteID, []string{"/", "x"}},
		"count":     {80, misDeleteID, []string{"5"}},
		"help":      {80, misDeleteID, []string{"?"}},
		"too small": {5, misDeleteID, nil},
	} {
		t.Run(name, func(t *testing.T) {
			a := start(t, tt.width, 24, Options{Lesson: tt.lesson})
			press(a, tt.keys...)
			before := a.View()
			for _, msg := range []tea.Msg{keyMsg("ctrl+z"), suspendMsg{}} {
				_, cmd := a.Update(msg)
				// Bubble Tea does not export the message that has a command executed.
				if cmd == nil || reflect.TypeOf(cmd()) != reflect.TypeOf(tea.Exec(stopper{}, nil)()) {
					t.Errorf("%v does not suspend", msg)
				}
			}
			if a.View() != before {
				t.Errorf("the screen is another one:\n%s", a.View())
			}
		})
	}
}

func TestWithoutAShellNothingStops(t *testing.T) {
	a := start(t, 80, 24, Options{})
	a.noShell = true
	if _, cmd := a.Update(keyMsg("ctrl+z")); cmd != nil {
		t.Error("ctrl+z does something")
	}
	wantSeen(t, a, "no shell could resume it here")
	press(a, "?", "G")
	wantSeen(t, a, "suspend; the shell's fg resumes (no shell could resume it here)")
}

func TestAfterAStopTheMouseIsAskedForAgain(t *testing.T) {
	a := start(t, 80, 24, Options{})
	_, cmd := a.Update(resumedMsg{})
	if cmd == nil || cmd() != tea.EnableMouseCellMotion() {
		t.Error("the mouse is not switched on")
	}
	a.Update(resumedMsg{errors.New("no terminal")})
	wantSeen(t, a, "no terminal")
}
