package tui

import (
	"context"
	"fmt"

	tea "github.com/charmbracelet/bubbletea"
)

// Frame is the screen that a user of the given size would see at a step of the
// lesson of opts, or the list if opts names no lesson. It needs no terminal: the
// pictures in the documentation are made with it. Lines are separated by line
// feeds and carry colours unless opts forbid them.
//
// Steps count from 1; 0 is the beginning and -1 the end.
func Frame(ctx context.Context, lib Library, opts Options, width, height, step int) (string, error) {
	a := newApp(ctx, lib, opts, !opts.NoColor)
	a.Update(tea.WindowSizeMsg{Width: width, Height: height})
	if a.player == nil {
		return a.View(), nil
	}
	run, err := load(ctx, lib, a.player.wanted())
	if err != nil {
		return "", fmt.Errorf("tui: lesson %q: %w", opts.Lesson, err)
	}
	a.opened(openedMsg{id: a.player.wanted(), run: run})
	if step < 0 {
		step = run.line.len()
	}
	a.player.moveTo(step)
	return a.View(), nil
}
