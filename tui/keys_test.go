package tui

import (
	"strings"
	"testing"
)

func TestNoTwoBindingsClash(t *testing.T) {
	for _, in := range []scope{inList, inPlayer, inPage, inGuide} {
		owner := map[string]int{}
		for i := range bindings {
			if bindings[i].scope&in == 0 {
				continue
			}
			for _, k := range bindings[i].keys {
				if first, taken := owner[k]; taken {
					t.Errorf("scope %d: key %q is bound by %q and %q", in, k,
						bindings[first].help.in(English), bindings[i].help.in(English))
				}
				owner[k] = i
			}
		}
	}
}

func TestDigitsAreFreeForCounts(t *testing.T) {
	for i := range bindings {
		for _, k := range bindings[i].keys {
			if len(k) == 1 && k[0] >= '0' && k[0] <= '9' {
				t.Errorf("key %q is a digit", k)
			}
		}
	}
}

func TestEveryHintHasAKey(t *testing.T) {
	th := newTheme(false, true, backgroundUnknown)
	for in, hints := range map[scope][]hint{inList: listHints, inPlayer: playerHints, inPage: pageHints, inGuide: guideHints} {
		for _, h := range append(hints, hint{[]action{actHelp}, txtHintHelp}) {
			for _, act := range h.actions {
				if th.keyOf(in, act) == "" {
					t.Errorf("scope %d: the hint %q has no key", in, h.text.in(English))
				}
			}
		}
	}
}

func TestHelpShowsEveryBinding(t *testing.T) {
	for _, lang := range []Lang{English, Chinese} {
		for in, lesson := range map[scope]string{inPlayer: misDeleteID, inList: ""} {
			a := start(t, 120, 60, Options{Lang: lang, Lesson: lesson})
			press(a, "?")
			for i := range bindings {
				if b := &bindings[i]; b.scope&in != 0 {
					wantSeen(t, a, b.help.in(lang), a.theme.keyName(b.keys[0]))
				}
			}
		}
	}
}

func TestHelpSaysWhyAKeyIsDisabled(t *testing.T) {
	for _, c := range []struct {
		name   string
		lesson string
		keys   []string
		want   []string
	}{
		{"nothing searched", misDeleteID, nil, []string{"next hit (nothing has been searched for)"}},
		{"nothing found", misDeleteID, []string{"/", "x", "y", "enter"}, []string{"next hit (the search found nothing)"}},
		{"no marks", "why/02-granularity", nil, []string{"next mark (this lesson has no marks)", "read the lesson (this lesson has no text)"}},
		{"one variant", "why/02-granularity", nil, []string{"next variant, same instant (this lesson has one variant only)"}},
		{"no run", "redis/09-failover", nil, []string{"next step (no run is open)"}},
		{"no filter", "", nil, []string{"show all lessons again (no filter is set)"}},
		{"no lesson", "", []string{"/", "x", "y", "enter"}, []string{"open the lesson (no lesson is chosen)"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := start(t, 200, 60, Options{Lesson: c.lesson})
			press(a, c.keys...)
			press(a, "?")
			wantSeen(t, a, c.want...)
		})
	}
}

func TestADisabledKeySaysWhyAndDoesNothing(t *testing.T) {
	a := start(t, 80, 24, Options{Lesson: "why/02-granularity"})
	press(a, "5", "l", "m")
	wantSeen(t, a, "this lesson has no marks")
	wantStep(t, a, 5)
	press(a, "l")
	if strings.Contains(seen(a), "this lesson has no marks") {
		t.Error("the notice stays after the next key")
	}
}

func TestHelpClosesOnTheSameKeyAndOnEscape(t *testing.T) {
	for _, key := range []string{"?", "esc", "q"} {
		a := start(t, 80, 24, Options{Lesson: misDeleteID})
		before := a.View()
		press(a, "?", "j", key)
		if a.View() != before {
			t.Errorf("%s does not close the help", key)
		}
	}
}

func TestHelpScrollsToItsEnd(t *testing.T) {
	a := start(t, 40, 12, Options{Lesson: misDeleteID})
	press(a, "?", "G")
	wantSeen(t, a, "found by the search", "▲")
	press(a, "j", "j", "g")
	wantSeen(t, a, "Keys", "next step", "▼")
}
