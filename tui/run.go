package tui

import (
	"context"
	"fmt"
	"os"

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

	background background
}

// Run shows the interface on the terminal until the user leaves it, ctx ends or
// the process is told to end (SIGINT, SIGTERM, SIGHUP). In every case the
// terminal is left as it was. It is as it was, too, while the process is stopped
// (ctrl+z, SIGTSTP), and when SIGQUIT makes the process dump its stacks.
//
// Leaving by a key is no error. The end of ctx is, namely its cause, and so is a
// signal to end, which the error names; errors.Is takes that for
// [context.Canceled]. If ctx has ended already, nothing is shown. A terminal that
// cannot be used is an error as well.
//
// After the process has been stopped and continued, only Run gets the signals to
// end, until it returns: what others have asked of os/signal before is undone.
//
// NO_COLOR, if it is not empty, and a terminal without colours are heeded, and so
// is COLORFGBG if the terminal sets it: the colours then suit its background.
func Run(ctx context.Context, lib Library, opts Options) error {
	return run(ctx, lib, opts, tea.WithAltScreen(), tea.WithMouseCellMotion())
}

func run(ctx context.Context, lib Library, opts Options, more ...tea.ProgramOption) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	noShell := !haveShell() // catching SIGTSTP would hide that it is ignored
	caught := catchSignals()
	defer caught.stop()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	opts.background = backgroundFrom(os.Getenv("COLORFGBG"))
	color := !opts.NoColor && lipgloss.ColorProfile() != termenv.Ascii
	model := newApp(ctx, lib, opts, color)
	model.signals, model.noShell = caught, noShell
	program := tea.NewProgram(model, append(more, tea.WithContext(ctx), tea.WithoutSignalHandler())...)
	caught.handle(program, cancel)
	_, err := program.Run()
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		return fmt.Errorf("tui: %w", err)
	}
	return nil
}
