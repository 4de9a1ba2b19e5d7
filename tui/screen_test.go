package tui

import (
	"regexp"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"
)

// someKeys are the keys that random walks press: all bound ones but those that
// end the program, digits, and text for the prompts.
func someKeys() []string {
	keys := []string{"1", "2", "7", "0", "d", "é", "锁", "backspace", "ctrl+u", "ctrl+w", "esc", "enter"}
	for i := range bindings {
		if bindings[i].action != actQuit {
			keys = append(keys, bindings[i].keys...)
		}
	}
	return keys
}

func drawOptions(t *rapid.T) Options {
	return Options{
		Lang:    rapid.SampledFrom([]Lang{English, Chinese}).Draw(t, "lang"),
		ASCII:   rapid.Bool().Draw(t, "ascii"),
		NoColor: rapid.Bool().Draw(t, "nocolor"),
		Lesson:  rapid.SampledFrom([]string{"", misDeleteID, "redis/15-long-pause", "why/02-granularity", "redis/09-failover"}).Draw(t, "lesson"),
	}
}

func TestEveryScreenHasItsSize(t *testing.T) {
	keys := someKeys()
	rapid.Check(t, func(r *rapid.T) {
		width, height := rapid.IntRange(40, 200).Draw(r, "width"), rapid.IntRange(12, 60).Draw(r, "height")
		a := start(t, width, height, drawOptions(r))
		checkSize(r, a)
		for range rapid.IntRange(0, 25).Draw(r, "n") {
			switch rapid.IntRange(0, 9).Draw(r, "what") {
			case 0:
				a.Update(tea.MouseMsg{
					X: rapid.IntRange(0, width).Draw(r, "x"), Y: rapid.IntRange(0, height).Draw(r, "y"),
					Button: rapid.SampledFrom([]tea.MouseButton{tea.MouseButtonLeft, tea.MouseButtonWheelUp, tea.MouseButtonWheelDown}).Draw(r, "button"),
				})
			case 1:
				a.Update(tea.WindowSizeMsg{Width: rapid.IntRange(0, 200).Draw(r, "width"), Height: rapid.IntRange(0, 60).Draw(r, "height")})
			default:
				press(a, rapid.SampledFrom(keys).Draw(r, "key"))
			}
			checkSize(r, a)
		}
	})
}

// checkSize checks that no line is too long and that there are as many as the
// terminal has, and what the options promise.
func checkSize(t *rapid.T, a *app) {
	view := a.View()
	if a.width == 0 || a.height == 0 {
		return
	}
	lines := strings.Split(view, "\n")
	if len(lines) != a.height {
		t.Fatalf("%d lines on %d rows:\n%s", len(lines), a.height, ansi.Strip(view))
	}
	for i, l := range lines {
		if w := ansi.StringWidth(l); w > a.width {
			t.Fatalf("line %d takes %d of %d cells:\n%s", i, w, a.width, ansi.Strip(view))
		}
	}
}

var sgr = regexp.MustCompile("\x1b\\[([0-9;]*)m")

func TestWithoutColourThereIsNone(t *testing.T) {
	for _, s := range screens {
		a := start(t, 100, 30, Options{NoColor: true, Lesson: s.lesson})
		press(a, s.keys...)
		for _, m := range sgr.FindAllStringSubmatch(a.View(), -1) {
			for code := range strings.SplitSeq(m[1], ";") {
				if code != "" && code != "0" && code != "1" && code != "4" && code != "7" {
					t.Errorf("%s: sequence %q is none of bold, underline and reverse", s.name, m[0])
				}
			}
		}
	}
}

func TestColoursAreOfTheFirstSixteen(t *testing.T) {
	for _, s := range screens {
		a := start(t, 100, 30, Options{Lesson: s.lesson})
		press(a, s.keys...)
		view := a.View()
		if !strings.Contains(view, "\x1b[") {
			t.Errorf("%s: no colours at all", s.name)
		}
		if strings.Contains(view, "38;5") || strings.Contains(view, "38;2") {
			t.Errorf("%s: a colour outside of the sixteen", s.name)
		}
	}
}

func TestASCIIModeInEnglishIsASCII(t *testing.T) {
	for _, s := range screens {
		a := start(t, 100, 30, Options{ASCII: true, Lesson: s.lesson})
		press(a, s.keys...)
		for i, r := range seen(a) {
			if r >= 0x80 && r != '中' && r != '文' { // the name of the other language
				t.Errorf("%s: %q at byte %d", s.name, r, i)
			}
		}
	}
}

// TestColourSaysNothingAlone strips the colours of two screens that differ in
// what they tell and expects them to differ still.
func TestColourSaysNothingAlone(t *testing.T) {
	broken := start(t, 100, 30, Options{Lesson: misDeleteID})
	press(broken, "G", "z", "tab", "tab", "tab")
	fixed := start(t, 100, 30, Options{Lesson: misDeleteID, Variant: "compare-and-delete"})
	press(fixed, "G", "z", "tab", "tab", "tab")
	wantSeen(t, broken, "✗ mutual exclusion", "✗ del-unlock")
	wantSeen(t, fixed, "✓ mutual exclusion", "✓ compare-and-delete")
}

func TestTooSmallTerminalsAreToldWhatIsNeeded(t *testing.T) {
	for _, size := range [][2]int{{39, 12}, {40, 11}, {10, 3}} {
		a := start(t, size[0], size[1], Options{Lesson: misDeleteID})
		if view := strings.ReplaceAll(seen(a), "\n", " "); !strings.HasPrefix("lockstep needs a terminal of 40×12 or more", strings.TrimSpace(view)[:10]) {
			t.Errorf("%v: got %q", size, view)
		}
		a.Update(tea.WindowSizeMsg{Width: 40, Height: 12})
		wantSeen(t, a, "DEL deletes")
		a.Update(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
		press(a, "shift+tab", "j", "z", "?", "j") // what needs room must not fail without
		if _, ok := press(a, "ctrl+c").(tea.QuitMsg); !ok {
			t.Errorf("%v: ctrl+c does not quit", size)
		}
	}
}

func TestTextOfALessonCannotSteerTheTerminal(t *testing.T) {
	a := start(t, 80, 24, Options{})
	a.list.replace([]Chapter{{Title: "x\x1b[2J", Lessons: []Lesson{{ID: "a", Title: "b\x1b]0;c\x07\u009bd", Summary: "e\x1b[31m"}}}})
	if view := a.View(); strings.ContainsAny(sgr.ReplaceAllString(view, ""), "\x1b\x07\u009b") || strings.Contains(view, "\x1b[2J") {
		t.Errorf("control characters reach the terminal: %q", view)
	}
}
