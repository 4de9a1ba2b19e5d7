package tui

import (
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
)

const misDeleteID = "redis/02-del-mis-delete"

// start makes a program of some size, with its lesson opened.
func start(t testing.TB, width, height int, opts Options) *app {
	t.Helper()
	a := newApp(t.Context(), &fakeLibrary{}, opts, !opts.NoColor)
	a.Update(tea.WindowSizeMsg{Width: width, Height: height})
	finish(a, a.Init())
	return a
}

// finish performs a command that opens a run and passes its message on. It
// returns the message.
func finish(a *app, cmd tea.Cmd) tea.Msg {
	if cmd == nil {
		return nil
	}
	msg := cmd()
	a.Update(msg)
	return msg
}

// press types keys, named as Bubble Tea names them. A tick that a key asks for
// is left out, because it would take real time.
func press(a *app, keys ...string) tea.Msg {
	var last tea.Msg
	for _, k := range keys {
		_, cmd := a.Update(keyMsg(k))
		if a.player == nil || !a.player.playing {
			last = finish(a, cmd)
		}
	}
	return last
}

func keyMsg(name string) tea.KeyMsg {
	for k := tea.KeyType(-100); k < 128; k++ {
		if k != tea.KeyRunes && k.String() == name {
			return tea.KeyMsg{Type: k, Runes: runesOf(k)}
		}
	}
	return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(name)}
}

func runesOf(k tea.KeyType) []rune {
	if k == tea.KeySpace {
		return []rune{' '}
	}
	return nil
}

// seen is the screen without colours.
func seen(a *app) string { return ansi.Strip(a.View()) }

func wantSeen(t *testing.T, a *app, texts ...string) {
	t.Helper()
	for _, s := range texts {
		if view := seen(a); !strings.Contains(view, s) {
			t.Errorf("%q is not on the screen:\n%s", s, view)
		}
	}
}

func wantStep(t *testing.T, a *app, step int) {
	t.Helper()
	if a.player.step != step {
		t.Errorf("the cursor is on step %d, want %d", a.player.step, step)
	}
}

func TestKeyMsgNamesKeysAsBubbleTeaDoes(t *testing.T) {
	for i := range bindings {
		for _, k := range bindings[i].keys {
			if got := keyMsg(k).String(); got != k {
				t.Errorf("key %q arrives as %q", k, got)
			}
		}
	}
}
