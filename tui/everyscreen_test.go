package tui_test

import (
	"strings"
	"testing"

	"github.com/charmbracelet/lipgloss"

	"github.com/lockstep-sim/lockstep/internal/library"
	"github.com/lockstep-sim/lockstep/tui"
)

// TestEveryVariantCanBeDrawn steps through every variant of every lesson, in both
// languages in turn, and looks whether its narration has room, in both.
func TestEveryVariantCanBeDrawn(t *testing.T) {
	langs := []tui.Lang{tui.English, tui.Chinese}
	lib, n := library.New(nil), 0
	for _, chapter := range lib.Chapters(tui.English) {
		for _, lesson := range chapter.Lessons {
			for _, v := range lesson.Variants {
				lang := langs[n%len(langs)]
				n++
				t.Run(lesson.ID+"/"+v.Name, func(t *testing.T) {
					t.Parallel()
					p, err := tui.OpenPlayer(t.Context(), lib, tui.Options{Lang: lang, Lesson: lesson.ID, Variant: v.Name})
					if err != nil {
						t.Fatal(err)
					}
					everyScreen(t, p)
					everyNarration(t, p, langs)
				})
			}
		}
	}
}

// everyScreen draws the steps of a run, each at one of the sizes in turn and at
// most so many of a long run.
func everyScreen(t *testing.T, p *tui.Player) {
	t.Helper()
	const most = 120
	sizes := [][2]int{{80, 24}, {120, 40}, {40, 12}, {100, 30}, {61, 18}}
	stride := max(1, p.Steps()/most)
	for step := 0; step <= p.Steps(); step += stride {
		size := sizes[step/stride%len(sizes)]
		fits(t, step, size, p.Screen(step, size[0], size[1]))
	}
}

// everyNarration looks whether every narration can be read without scrolling.
func everyNarration(t *testing.T, p *tui.Player, langs []tui.Lang) {
	t.Helper()
	for step := 0; step <= p.Steps(); step++ {
		if !p.Marked(step) {
			continue
		}
		for _, lang := range langs {
			if n := p.HiddenNarration(lang, step, 80, 24); n > 0 {
				t.Errorf("step %d: %d lines of the narration in %s have no room at 80×24", step, n, lang)
			}
		}
	}
}

// fits checks that a screen is as large as it has to be, with all texts filled in.
func fits(t *testing.T, step int, size [2]int, screen string) {
	t.Helper()
	lines := strings.Split(screen, "\n")
	if len(lines) != size[1] || lipgloss.Width(screen) > size[0] {
		t.Errorf("step %d at %d×%d: the screen is %d×%d", step, size[0], size[1], lipgloss.Width(screen), len(lines))
	}
	if strings.Contains(screen, "%!") {
		t.Errorf("step %d at %d×%d: a text lacks its arguments:\n%s", step, size[0], size[1], screen)
	}
}
