package tui

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"
)

// EveryScreen draws the steps of a run, each at one of the sizes in turn and at
// most so many of a long run, and hands over what is seen.
func EveryScreen(ctx context.Context, lib Library, opts Options, sizes [][2]int, most int, each func(step int, size [2]int, screen string)) error {
	a := newApp(ctx, lib, opts, false)
	run, err := load(ctx, lib, a.player.wanted())
	if err != nil {
		return err
	}
	a.opened(openedMsg{id: a.player.wanted(), run: run})
	stride := max(1, run.line.len()/most)
	for step := 0; step <= run.line.len(); step += stride {
		size := sizes[step/stride%len(sizes)]
		a.Update(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
		a.player.moveTo(step)
		each(step, size, a.View())
	}
	return nil
}
