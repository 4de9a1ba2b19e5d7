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
		fmt.Fprintf(a.errOut, "lockstep: %s: %d mistakes\n%v\n", mistakes[0].File, len(mistakes), mistakes)
		return
	}
	fmt.Fprintf(a.errOut, "lockstep: %v\n", err)
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
		if errors.Is(cause, strconv.ErrSyntax) || errors.Is(cause, strconv.ErrRange) {
			cause = fmt.Errorf("%q is not a whole number from 0 to 2^64-1", e.GetValue())
		}
		return fmt.Errorf("--%s: %w", e.GetFlag().Name, cause)
	}
	return err
}

func unknownFlag(cmd *cobra.Command, e *pflag.NotExistError) error {
	if e.GetSpecifiedShortnames() != "" {
		return fmt.Errorf("unknown flag -%s: see %s --help", e.GetSpecifiedShortnames(), cmd.CommandPath())
	}
	var known []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, "--"+f.Name) })
	name := "--" + e.GetSpecifiedName()
	if near, ok := suggest.Nearest(name, known); ok {
		return fmt.Errorf("unknown flag %s: did you mean %s?", name, near)
	}
	return fmt.Errorf("unknown flag %s: see %s --help", name, cmd.CommandPath())
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
