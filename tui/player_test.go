package tui

import (
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
)

func TestKeysMoveTheCursor(t *testing.T) {
	for _, c := range []struct {
		keys string
		want int
	}{
		{"l", 1},
		{"right right h", 1},
		{"1 2 l", 12},
		{"1 0 l 3 h", 7},
		{"0 l", 1},
		{"7 esc l", 1},
		{"h", 0},
		{"9 9 9 l", 40},
		{"G", 40},
		{"G g", 0},
		{"1 7 G", 17},
		{"m", 2},
		{"m m", 12},
		{"3 m", 21},
		{"G M", 26},
		{"9 m", 26},
		{"m m M", 2},
		{"j j k", 1},
		{"pgdown", 8},
		{"pgdown pgup", 0},
	} {
		t.Run(c.keys, func(t *testing.T) {
			a := start(t, 80, 24, Options{Lesson: misDeleteID})
			press(a, strings.Fields(c.keys)...)
			if c.keys == "pgdown" {
				c.want = a.layout().panes[paneLanes].h - 1
			}
			wantStep(t, a, c.want)
		})
	}
}

func TestACountIsShownWhileItIsTyped(t *testing.T) {
	a := start(t, 80, 24, Options{Lesson: misDeleteID})
	press(a, "1", "7")
	wantSeen(t, a, " 17  ←/→ step")
}

func TestKeysTypedAtOnceAreTakenOneByOne(t *testing.T) {
	a := start(t, 80, 24, Options{Lesson: misDeleteID})
	press(a, "12lh")
	wantStep(t, a, 11)
	a.Update(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("Gq"), Paste: true})
	wantStep(t, a, 11)
}

func TestTheCursorIsOnTheScreenAtEveryStep(t *testing.T) {
	for _, size := range [][2]int{{40, 12}, {80, 24}, {120, 40}} {
		a := start(t, size[0], size[1], Options{Lesson: misDeleteID})
		for range a.player.line().len() + 1 {
			wantSeen(t, a, "▸")
			press(a, "l")
		}
	}
}

func TestAnArrowIsDashedUntilItArrives(t *testing.T) {
	a := start(t, 80, 24, Options{Lesson: misDeleteID})
	press(a, "2", "l")
	wantSeen(t, a, "●╌╌╌╌ SET … A#1 NX PX 300 ╌╌╌╌▷")
	press(a, "l")
	wantSeen(t, a, "●──── SET … A#1 NX PX 300 ────▶", "◁╌╌╌╌╌ OK ╌╌╌╌╌┼")
	press(a, "l")
	wantSeen(t, a, "◀───── OK ─────┼")
}

func TestALostMessageEndsInACross(t *testing.T) {
	a := start(t, 120, 40, Options{Lesson: "redis/15-long-pause"})
	press(a, "1", "8", "l")
	wantSeen(t, a, "◁╌")
	press(a, "l")
	wantSeen(t, a, "✗─", "B → redis: the request is lost")
}

func TestThePlayerSaysWhatItIsAsked(t *testing.T) {
	a := start(t, 120, 40, Options{Lesson: misDeleteID})
	press(a, "2", "2", "l")
	wantSeen(t, a,
		"✗ del-unlock", "403 ms · 22/40", // header
		"A · release", "B · work 2s", "4.947 s", // head
		"≠ B still believes it holds the lock; the store says: free", // the parting
		"✗ only the owner releases: A took lock:order:1 away from B", // the violation
		"≠ B believes it holds until 5.35 s · store says: free · parted at 403 ms, step 22",
		"− lock:order:1 deleted",                       // store
		"▶ n, err := l.rdb.Del(ctx, l.Key()).Result()", // code
		"plaindelete.go:9",                             // and where it is
		"✓ mutual exclusion",                           // invariants
		"◆ 402 ms · A releases what it no longer has",  // narration
		"22 redis (A): DEL lock:order:1 → 1",           // the step in full
	)
}

func TestWhatBreaksLaterIsNotToldBefore(t *testing.T) {
	a := start(t, 120, 40, Options{Lesson: misDeleteID})
	press(a, "2", "1", "l", "f")
	for _, s := range []string{"✗ only", "≠ B"} {
		if strings.Contains(seen(a), s) {
			t.Errorf("step 21 tells %q:\n%s", s, seen(a))
		}
	}
	press(a, "l")
	wantSeen(t, a, "✗ only", "≠ B")
}

func TestTheFutureCanBeHidden(t *testing.T) {
	a := start(t, 80, 24, Options{Lesson: misDeleteID})
	press(a, "2", "l")
	wantSeen(t, a, "work 400ms")
	press(a, "f")
	if strings.Contains(seen(a), "work 400ms") {
		t.Errorf("a later step is shown:\n%s", seen(a))
	}
	wantSeen(t, a, "SET … A#1 NX PX 300")
}

func TestTheEndPointsToTheNextVariant(t *testing.T) {
	a := start(t, 80, 24, Options{Lesson: misDeleteID})
	press(a, "G")
	wantSeen(t, a, "v now see compare-and-delete ✓")
}

func TestPanesTakeTheFocusInTurn(t *testing.T) {
	a := start(t, 40, 12, Options{Lesson: misDeleteID})
	press(a, "4", "l")
	for _, want := range []string{"A gets the lock", "store · redis", "invariants so far", "acquire.go:12", "counters so far", "redis  C"} {
		press(a, "tab")
		wantSeen(t, a, want)
	}
	press(a, "shift+tab", "shift+tab")
	wantSeen(t, a, "acquire.go:12")
}

func TestPanesScrollNoFurtherThanTheirText(t *testing.T) {
	a := start(t, 40, 12, Options{Lesson: misDeleteID})
	press(a, "2", "l", "shift+tab", "shift+tab", "9", "9", "j") // the code
	wantSeen(t, a, "▲", "return m.lease")
	bottom := a.View()
	press(a, "k")
	if a.View() == bottom {
		t.Error("one line up from the bottom changes nothing: the scroll went beyond the text")
	}
	press(a, "9", "9", "k")
	wantSeen(t, a, "package redislock", "▼")
}

func TestEnlargingAPaneAndGoingBack(t *testing.T) {
	a := start(t, 80, 24, Options{Lesson: misDeleteID})
	press(a, "2", "l", "shift+tab", "shift+tab")
	before := a.View()
	press(a, "z")
	wantSeen(t, a, "// tryAcquire makes one attempt.")
	press(a, "esc")
	if a.View() != before {
		t.Error("escape does not bring the panes back")
	}
	press(a, "q")
	wantSeen(t, a, "distributed locks, step by step")
}

func TestSearchFindsAndRemembers(t *testing.T) {
	a := start(t, 80, 24, Options{Lesson: misDeleteID})
	press(a, "5", "l", "/", "D", "e", "l", " ", "r", "e", "d", "i", "s")
	wantStep(t, a, 21) // the first hit after the cursor, in any case
	wantSeen(t, a, "/Del redis", "1/9")
	press(a, "enter", "n")
	wantStep(t, a, 22)
	press(a, "N", "N")
	wantStep(t, a, 40-1) // around the beginning
	press(a, "3", "n")
	wantStep(t, a, 23)
}

func TestEscapeEndsASearchWhereItBegan(t *testing.T) {
	a := start(t, 80, 24, Options{Lesson: misDeleteID})
	press(a, "5", "l", "/", "D", "E", "L", "enter", "/", "x", "esc")
	wantStep(t, a, 21)
	press(a, "n")
	wantStep(t, a, 22) // the search before is in force again
}

func TestSearchIsRepeatedInTheOtherVariant(t *testing.T) {
	a := start(t, 80, 24, Options{Lesson: misDeleteID})
	press(a, "/", "l", "u", "a", "enter")
	wantStep(t, a, 0)
	press(a, "v", "n")
	wantStep(t, a, 21)
}

func TestALessonThatCannotBeOpenedSaysWhy(t *testing.T) {
	a := start(t, 80, 24, Options{Lesson: "redis/09-failover"})
	wantSeen(t, a, "✗ scenarios/redis/09-failover.scn:3:1: unknown store")
	press(a, "l", "m", "tab", "/", "z", "G", " ", "t", "v") // nothing of this may hurt
	wantSeen(t, a, "this lesson has one variant only")
	press(a, "q")
	wantSeen(t, a, "Failover loses the lock")
}

func TestAnErrorThatComesLateClosesWhatLiesOverThePlayer(t *testing.T) {
	for _, keys := range []string{"t", "?", "/ d e l"} {
		a := start(t, 80, 24, Options{Lesson: misDeleteID})
		a.Update(keyMsg("v")) // the other variant is wanted; its run is on the way
		press(a, strings.Fields(keys)...)
		a.Update(openedMsg{id: a.player.wanted(), err: errFixture})
		press(a, "x", "enter", "j")
		wantSeen(t, a, "unknown store")
	}
}

func TestTheTextOfALessonNeedsALesson(t *testing.T) {
	a := start(t, 80, 24, Options{})
	press(a, "?", "t")
	wantSeen(t, a, "Keys", "no run is open")
}

func TestAVariantThatTakesTimeIsAnnounced(t *testing.T) {
	a := start(t, 80, 24, Options{Lesson: misDeleteID})
	_, run := a.Update(keyMsg("v"))
	wantSeen(t, a, "running the variant compare-and-delete…")
	finish(a, run)
	wantSeen(t, a, "v variant")
}

func TestARunThatComesTooLateIsNotShown(t *testing.T) {
	a := newApp(t.Context(), &fakeLibrary{}, Options{Lesson: misDeleteID}, true)
	a.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
	first := a.Init()
	wantSeen(t, a, "running the lesson")
	press(a, "v") // the other variant is wanted before the first one has come
	finish(a, first)
	if a.player.variant != "compare-and-delete" {
		t.Errorf("shows %s", a.player.variant)
	}
}
