package tui

import (
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
)

func TestTheListChoosesAndOpens(t *testing.T) {
	a := start(t, 80, 24, Options{})
	wantSeen(t, a, "Locks on Redis", "▸ How much one lock", "How much should one lock cover?", "lessons: 4")
	press(a, "down")
	wantSeen(t, a, "▸ DEL deletes", "Whose lock does DEL delete", "✗ del-unlock (goes wrong)", "✓ compare-and-delete (stays right)")
	press(a, "enter")
	wantSeen(t, a, "0/40")
	press(a, "q")
	wantSeen(t, a, "▸ DEL deletes") // the place is remembered
}

func TestTheListStopsAtItsEnds(t *testing.T) {
	const first, last = "why/02-granularity", "redis/15-long-pause"
	for _, c := range []struct{ keys, want string }{
		{"k", first}, {"G", last}, {"G j", last}, {"G g", first},
		{"pgdown", last}, {"end home", first}, {"pgdown pgup", first}, {"j j k", "redis/02-del-mis-delete"},
	} {
		a := start(t, 80, 24, Options{})
		press(a, strings.Fields(c.keys)...)
		if a.list.chosen != c.want {
			t.Errorf("%s: on %s, want %s", c.keys, a.list.chosen, c.want)
		}
	}
}

func TestTheFilterNarrowsTheListWhileTyping(t *testing.T) {
	a := start(t, 80, 24, Options{})
	press(a, "/", "P", "a", "u", "s", "e", " ", "r", "e", "d", "i", "s")
	wantSeen(t, a, "▸ A long pause", "lessons: 1")
	if strings.Contains(seen(a), "DEL deletes") || strings.Contains(seen(a), "Why distributed locks") {
		t.Errorf("too much is left:\n%s", seen(a))
	}
	press(a, "enter", "enter")
	wantSeen(t, a, "A long pause", "0/27")
	press(a, "q", "esc")
	wantSeen(t, a, "lessons: 4", "▸ A long pause")
}

func TestTheFilterLooksIntoSummaries(t *testing.T) {
	a := start(t, 80, 24, Options{})
	press(a, "/", "s", "c", "r", "i", "p", "t")
	wantSeen(t, a, "▸ DEL deletes", "lessons: 1")
}

func TestKeysJumpFromChapterToChapter(t *testing.T) {
	const why, redis, last = "why/02-granularity", "redis/02-del-mis-delete", "redis/15-long-pause"
	for _, c := range []struct{ keys, want string }{
		{"tab", redis}, {"] ]", redis}, {"G [", redis}, {"G [ [", why}, {"shift+tab", why}, {"G ]", last},
	} {
		a := start(t, 40, 12, Options{})
		press(a, strings.Fields(c.keys)...)
		if a.list.chosen != c.want {
			t.Errorf("%s: on %s, want %s", c.keys, a.list.chosen, c.want)
		}
	}
}

func TestAFilterThatMatchesNothingSaysSo(t *testing.T) {
	a := start(t, 80, 24, Options{})
	press(a, "/", "x", "x", "x")
	wantSeen(t, a, `no lesson matches "xxx"`, "lessons: 0")
	press(a, "enter", "enter")
	wantSeen(t, a, "no lesson is chosen")
	press(a, "/", "ctrl+u", "d", "e", "l", "enter", "enter")
	wantSeen(t, a, "0/40")
}

func TestThePromptEditsByCharacters(t *testing.T) {
	var p prompt
	type_ := func(keys ...string) {
		for _, k := range keys {
			p.edit(keyMsg(k))
		}
	}
	type_("锁", "a", "backspace")
	if p.value() != "锁" {
		t.Errorf("got %q", p.value())
	}
	type_(" ", "b", "c", "ctrl+w")
	if p.value() != "锁 " {
		t.Errorf("got %q", p.value())
	}
	type_("ctrl+u", "backspace", "ctrl+w")
	if p.value() != "" {
		t.Errorf("got %q", p.value())
	}
	p.edit(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(strings.Repeat("x", 1000) + "\x1b"), Paste: true})
	if len(p.text) != maxPrompt {
		t.Errorf("%d characters after a long paste", len(p.text))
	}
}

func TestALessonOutsideOfTheCatalogueIsShownByItsID(t *testing.T) {
	a := start(t, 80, 24, Options{Lesson: "mine.scn"})
	wantSeen(t, a, "mine.scn")
}

func TestStartingWithALessonRemembersItInTheList(t *testing.T) {
	a := start(t, 80, 24, Options{Lesson: "redis/15-long-pause"})
	press(a, "q")
	wantSeen(t, a, "▸ A long pause")
}

func TestQuitting(t *testing.T) {
	for _, keys := range []string{"q", "ctrl+c", "enter ctrl+c", "/ ctrl+c", "? ctrl+c", "enter / ctrl+c"} {
		a := start(t, 80, 24, Options{})
		if _, ok := press(a, strings.Fields(keys)...).(tea.QuitMsg); !ok {
			t.Errorf("%s does not quit", keys)
		}
	}
}
