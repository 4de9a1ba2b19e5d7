package tui

import "testing"

func TestTheGuideLeadsFromQuestionsToARun(t *testing.T) {
	a := start(t, 80, 24, Options{})
	press(a, "W")
	wantSeen(t, a, "What if it is done twice?", "▸ It is a waste", "It does harm → redis/15-long-pause")
	press(a, "enter")
	wantSeen(t, a, "An efficient lock", "▸ Delete it with care")
	press(a, "esc")
	wantSeen(t, a, "What if it is done twice?")
	press(a, "l", "enter")
	wantSeen(t, a, "0/40")
	press(a, "q")
	wantSeen(t, a, "▸ Delete it with care") // other answers are a key away
	press(a, "q", "q")
	wantSeen(t, a, "▸ DEL deletes")
}

func TestTheGuideClosesWhereItBegan(t *testing.T) {
	for _, keys := range [][]string{{"W", "W"}, {"W", "q"}, {"W", "enter", "h", "h"}, {"W", "K", "K"}} {
		a := start(t, 80, 24, Options{Lesson: misDeleteID})
		press(a, "7", "l")
		before := a.View()
		press(a, keys...)
		if a.View() != before {
			t.Errorf("%q leads to another place:\n%s", keys, seen(a))
		}
	}
}

func TestTheGuideKeepsItsPlaceInTheOtherLanguage(t *testing.T) {
	a := start(t, 40, 12, Options{})
	press(a, "W", "enter", "L")
	wantSeen(t, a, "够用的锁", "▸ 删锁要当心")
}

func TestTheChosenAnswerStaysOnAShortScreen(t *testing.T) {
	a := start(t, 40, 12, Options{})
	press(a, "W", "j", "j")
	wantSeen(t, a, "▸ It does harm")
}

func TestTheGuideOpensWhereNoLessonCouldBeOpened(t *testing.T) {
	a := start(t, 80, 24, Options{Lesson: "redis/09-failover"})
	press(a, "W", "j", "enter")
	wantSeen(t, a, "0/27")
}

func TestTheGlossaryIsReachedFromAnywhere(t *testing.T) {
	for _, lesson := range []string{"", misDeleteID, "redis/09-failover"} {
		a := start(t, 80, 24, Options{Lesson: lesson})
		press(a, "K")
		wantSeen(t, a, "A lock that ends by itself at a time.")
	}
}
