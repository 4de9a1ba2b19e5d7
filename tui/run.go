package tui

import (
	"context"
	"errors"
	"fmt"
	"os/signal"
	"syscall"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"
)

// Options say how the interface starts.
type Options struct {
	Lang    Lang   // the language at the start; anything unknown means English
	ASCII   bool   // draw with ASCII characters only
	NoColor bool   // no colours, whatever the terminal and NO_COLOR say
	Lesson  string // id of the lesson to open at once; empty for the list
	Variant string // its variant; empty for the first one
}

// Run shows the interface on the terminal until the user leaves it, ctx ends or
// the process is told to end (SIGINT, SIGTERM, SIGHUP). In every case the
// terminal is left as it was. Leaving by a key or a signal is no error; the end
// of ctx is, and so is a terminal that cannot be used.
//
// NO_COLOR, if it is not empty, and a terminal without colours are heeded.
func Run(ctx context.Context, lib Library, opts Options) error {
	return run(ctx, lib, opts, tea.WithAltScreen(), tea.WithMouseCellMotion())
}

func run(ctx context.Context, lib Library, opts Options, more ...tea.ProgramOption) error {
	// Bubble Tea ends on SIGINT and SIGTERM, but not when the terminal goes away.
	watched, stop := signal.NotifyContext(ctx, syscall.SIGHUP)
	defer stop()
	color := !opts.NoColor && lipgloss.ColorProfile() != termenv.Ascii
	model := newApp(watched, lib, opts, color)
	_, err := tea.NewProgram(model, append(more, tea.WithContext(watched))...).Run()
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("tui: %w", context.Cause(ctx))
	case err == nil || errors.Is(err, tea.ErrInterrupted) || watched.Err() != nil:
		return nil
	default:
		return fmt.Errorf("tui: %w", err)
	}
}
