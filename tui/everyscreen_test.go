package tui_test

import (
	"strings"
	"testing"

	"github.com/charmbracelet/lipgloss"

	"github.com/lockstep-sim/lockstep/internal/library"
	"github.com/lockstep-sim/lockstep/tui"
)

// TestEveryVariantCanBeDrawn steps through every variant of every lesson, in both
// languages in turn.
func TestEveryVariantCanBeDrawn(t *testing.T) {
	sizes := [][2]int{{80, 24}, {120, 40}, {40, 12}, {100, 30}, {61, 18}}
	langs := []tui.Lang{tui.English, tui.Chinese}
	lib, n := library.New(nil), 0
	for _, chapter := range lib.Chapters(tui.English) {
		for _, lesson := range chapter.Lessons {
			for _, v := range lesson.Variants {
				lang := langs[n%len(langs)]
				n++
				t.Run(lesson.ID+"/"+v.Name, func(t *testing.T) {
					t.Parallel()
					opts := tui.Options{Lang: lang, Lesson: lesson.ID, Variant: v.Name}
					err := tui.EveryScreen(t.Context(), lib, opts, sizes, 120, func(step int, size [2]int, screen string) {
						fits(t, step, size, screen)
					})
					if err != nil {
						t.Error(err)
					}
				})
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
