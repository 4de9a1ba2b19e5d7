// Package cli is the command line: its commands, flags, exit statuses and error
// messages.
//
// What belongs here: one file for each command, which turns arguments into calls
// of other packages. What does not: finding and replaying scenarios (scenarios),
// running them (sim/runner), and how a run is written (internal/transcript) or
// shown (tui).
package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/charmbracelet/x/term"

	"github.com/lockstep-sim/lockstep/lessons"
	"github.com/lockstep-sim/lockstep/sim/script"
	"github.com/lockstep-sim/lockstep/tui"
)

// The exit statuses.
const (
	statusOK          = 0   // all is as expected
	statusDiffers     = 1   // an expectation fails, or an invariant is broken by surprise
	statusUsage       = 2   // wrong usage, or a file that cannot be read or is invalid
	statusInterrupted = 130 // ended by a signal before that was known
)

// app is what the commands need of the world.
type app struct {
	in          io.Reader
	out, errOut io.Writer
	lang        lessons.Lang // that the environment asks for

	// show opens the terminal interface. Tests replace it.
	show func(context.Context, tui.Library, tui.Options) error
	// unhelpful is why a help text could not be written.
	unhelpful error
	// terminal tells whether the interface can be shown. Tests replace it.
	terminal func() bool
}

// Execute runs one command line, given without the name of the program, and
// returns the exit status: 0 if all is as expected, 1 if an expectation fails or
// an invariant is broken by surprise, 2 for wrong usage or an unreadable or
// invalid file, 130 if a signal ended it.
func Execute(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	a := &app{in: stdin, out: &quiet{w: stdout}, errOut: stderr, lang: lessons.FromEnvironment(os.Getenv), show: tui.Run}
	a.terminal = func() bool { return isTerminal(stdin) && isTerminal(stdout) && os.Getenv("TERM") != "dumb" }
	return a.execute(args)
}

func (a *app) execute(args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	root := a.root()
	root.SetArgs(append([]string{}, args...)) // without any, nil would mean those of the process
	root.SetIn(a.in)
	root.SetOut(a.out)
	root.SetErr(a.errOut)
	return a.status(ctx, cmp.Or(root.ExecuteContext(ctx), a.unhelpful))
}

// status reports an error and turns it into an exit status.
func (a *app) status(ctx context.Context, err error) int {
	switch {
	case err == nil:
		return statusOK
	case errors.Is(err, errReported):
		return statusUsage
	case errors.Is(err, context.Canceled):
		if ctx.Err() != nil { // otherwise the interface got the signal and names it
			err = context.Cause(ctx)
		}
		a.complain(err)
		return statusInterrupted
	}
	a.complain(err)
	if errors.Is(err, errDiffers) {
		return statusDiffers
	}
	return statusUsage
}

// isTerminal reports whether a stream is a terminal.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(f.Fd())
}

// quiet is an output whose reader may have enough before the end: what comes
// after that is dropped without an error.
type quiet struct {
	w      io.Writer
	closed bool
}

func (q *quiet) Write(p []byte) (int, error) {
	if q.closed {
		return len(p), nil
	}
	n, err := q.w.Write(p)
	switch {
	case err == nil:
		return n, nil
	case errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe):
		q.closed = true
		return len(p), nil
	}
	return n, script.FileError("standard output", err)
}

// printf writes to the output.
func (a *app) printf(format string, args ...any) error {
	_, err := fmt.Fprintf(a.out, format, args...)
	return err
}
