package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/lockstep-sim/lockstep/internal/suggest"
	"github.com/lockstep-sim/lockstep/sim/script"
)

var (
	// errDiffers is part of errors that mean exit status 1.
	errDiffers = errors.New("not as expected")
	// errReported stands for errors that have been told already.
	errReported = errors.New("reported")
)

// complain writes an error: one line, or for a file with several mistakes a
// line that says so and then one for each.
func (a *app) complain(err error) {
	if mistakes, ok := errors.AsType[script.Errors](err); ok && len(mistakes) > 1 {
		fmt.Fprintf(a.errOut, "lockstep: %s: %d mistakes\n%v\n", script.Printable(mistakes[0].File), len(mistakes), mistakes)
		return
	}
	fmt.Fprintf(a.errOut, "lockstep: %s\n", oneLine(err.Error()))
}

// oneLine is a message on one line, and without anything that a terminal could
// take for a command. Errors that were joined stand on lines of their own.
func oneLine(msg string) string {
	var b strings.Builder
	for _, r := range strings.ReplaceAll(strings.TrimSpace(msg), "\n", "; ") {
		if strconv.IsPrint(r) {
			b.WriteRune(r)
		} else {
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		}
	}
	return b.String()
}

// flagError says what is wrong with a flag.
func flagError(cmd *cobra.Command, err error) error {
	if e, ok := errors.AsType[*pflag.NotExistError](err); ok {
		return unknownFlag(cmd, e)
	}
	if e, ok := errors.AsType[*pflag.ValueRequiredError](err); ok {
		return fmt.Errorf("--%s needs a value", e.GetFlag().Name)
	}
	if e, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		cause := e.Unwrap()
		switch {
		case e.GetFlag().Value.Type() == "bool":
			cause = fmt.Errorf("%q is neither true nor false", e.GetValue())
		case errors.Is(cause, strconv.ErrSyntax) || errors.Is(cause, strconv.ErrRange):
			cause = fmt.Errorf("%q is not a whole number from 0 to 2^64-1", e.GetValue())
		}
		return fmt.Errorf("--%s: %w", e.GetFlag().Name, cause)
	}
	return err
}

func unknownFlag(cmd *cobra.Command, e *pflag.NotExistError) error {
	if e.GetSpecifiedShortnames() != "" {
		return fmt.Errorf("unknown flag %s: see %s --help", script.Printable("-"+e.GetSpecifiedShortnames()), cmd.CommandPath())
	}
	name := script.Printable("--" + e.GetSpecifiedName())
	if name == "--plain" { // of a command without a live view
		return fmt.Errorf("unknown flag %s: %s writes plain text anyway; lockstep play --plain tells a whole lesson", name, cmd.CommandPath())
	}
	if owners := commandsWith(cmd.Root(), e.GetSpecifiedName()); len(owners) > 0 {
		return fmt.Errorf("unknown flag %s: it belongs to %s", name, strings.Join(owners, ", "))
	}
	var known []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, "--"+f.Name) })
	if near, ok := suggest.Nearest(name, known); ok {
		return fmt.Errorf("unknown flag %s: did you mean %s?", name, near)
	}
	return fmt.Errorf("unknown flag %s: see %s --help", name, cmd.CommandPath())
}

// commandsWith lists the commands that have a flag.
func commandsWith(root *cobra.Command, flag string) []string {
	var out []string
	for _, c := range root.Commands() {
		if c.Flags().Lookup(flag) != nil {
			out = append(out, c.CommandPath())
		}
	}
	return out
}

// unknownCommand says that there is no command of that name.
func unknownCommand(cmd *cobra.Command, name string) error {
	var known []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			known = append(known, c.Name())
		}
	}
	if near := suggest.DidYouMean(name, known); near != "" {
		return fmt.Errorf("unknown command %q%s", name, near)
	}
	return fmt.Errorf("unknown command %q: there are %s", name, strings.Join(known, ", "))
}

// noArgs refuses arguments.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("%s takes no argument: %q", cmd.Name(), args[0])
	}
	return nil
}

// oneScenario wants the name of one scenario.
func oneScenario(cmd *cobra.Command, args []string) error {
	switch len(args) {
	case 0:
		return fmt.Errorf("%s needs the ID of a scenario, such as redis/02, or a file", cmd.Name())
	case 1:
		return nil
	}
	return fmt.Errorf("%s takes one scenario: %q is too much", cmd.Name(), args[1])
}
