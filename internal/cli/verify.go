package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lockstep-sim/lockstep/scenarios"
	"github.com/lockstep-sim/lockstep/sim/script"
)

const verifyLong = `Replay scenarios and compare each variant with what its file expects and with
its recorded trace, if it has one.

Without a path, the embedded scenarios are replayed; a folder stands for all
.scn files below it. With --update the traces are recorded anew and the files
formatted; a file with an expectation that fails is left alone.`

func (a *app) verifyCommand() *cobra.Command {
	var update bool
	cmd := &cobra.Command{
		Use:               "verify [PATH…]",
		Short:             "Replay scenarios and compare them with what they expect",
		Long:              verifyLong,
		Example:           "  lockstep verify\n  lockstep verify redis/02 mine.scn\n  lockstep verify --update scenarios/",
		ValidArgsFunction: completeScenarios,
	}
	cmd.Flags().BoolVar(&update, "update", false, "record the traces of files anew")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		targets, problems, err := targets(args, update)
		if err != nil {
			return err
		}
		v := &verification{app: a, update: update}
		for _, p := range problems {
			v.unreadable++
			v.complain(p)
		}
		if len(targets) == 0 {
			return errReported
		}
		for _, t := range targets {
			if err := v.verify(cmd.Context(), t); err != nil {
				return err
			}
		}
		return v.finish()
	}
	return cmd
}

// target is one scenario to verify: an embedded one, or a file.
type target struct {
	name string
	file bool
}

// targets lists what the arguments stand for. Problems are paths that cannot be
// read, which keeps nothing else from being verified.
func targets(args []string, update bool) (out []target, problems []error, err error) {
	if update && len(args) == 0 {
		return nil, nil, errors.New("--update needs files or folders: the embedded scenarios cannot be rewritten")
	}
	for _, arg := range args {
		if !scenarios.IsFile(arg) {
			id, err := scenarios.Resolve(arg)
			if err != nil {
				return nil, nil, err
			}
			if update {
				return nil, nil, fmt.Errorf("--update needs files or folders: %s is embedded and cannot be rewritten", id)
			}
			out = append(out, target{name: id})
			continue
		}
		files, unreadable := scenarios.Files(arg)
		problems = append(problems, unreadable...)
		for _, f := range files {
			out = append(out, target{name: f, file: true})
		}
	}
	if len(args) == 0 {
		for _, id := range scenarios.List() {
			out = append(out, target{name: id})
		}
	}
	return out, problems, nil
}

// verification counts what came out.
type verification struct {
	*app
	update                                           bool
	scenarios, variants, failed, invalid, unreadable int
}

// verify replays one scenario and reports it. What is wrong with the scenario is
// told and does not end the whole.
func (v *verification) verify(ctx context.Context, t target) error {
	report, err := replay(ctx, t)
	v.scenarios++
	if err != nil {
		return v.unusable(ctx, t, err)
	}
	v.variants += len(report.Results)
	word := "ok"
	switch changed, err := v.updateFile(report, t); {
	case errors.Is(err, scenarios.ErrFailing):
		word = "FAILED"
	case err != nil:
		return v.unusable(ctx, t, err)
	case changed:
		word = "updated"
	case !v.update && !report.OK():
		word = "FAILED"
	}
	if word != "FAILED" {
		return v.report(word, t)
	}
	v.failed++
	if err := v.report(word, t); err != nil {
		return err
	}
	for _, f := range report.Failures {
		if err := v.printf("         %v\n", f); err != nil {
			return err
		}
	}
	return nil
}

func replay(ctx context.Context, t target) (*scenarios.Report, error) {
	load := scenarios.Load
	if t.file {
		load = scenarios.LoadFile
	}
	sc, err := load(t.name)
	if err != nil {
		return nil, err
	}
	return scenarios.Replay(ctx, sc)
}

func (v *verification) updateFile(report *scenarios.Report, t target) (changed bool, err error) {
	if !v.update {
		return false, nil
	}
	return report.Update(t.name)
}

// unusable reports a scenario that cannot be replayed or rewritten.
func (v *verification) unusable(ctx context.Context, t target, err error) error {
	if ctx.Err() != nil {
		return err
	}
	v.invalid++
	v.complain(err)
	return v.report("INVALID", t)
}

func (v *verification) report(word string, t target) error {
	return v.printf("%-8s %s\n", word, script.Printable(t.name))
}

func (v *verification) finish() error {
	if err := v.printf("%s, %s: %s\n", count(v.scenarios, "scenario"), count(v.variants, "variant"), v.outcome()); err != nil {
		return err
	}
	switch {
	case v.invalid+v.unreadable > 0:
		return errReported
	case v.failed > 0:
		return fmt.Errorf("%w: %s", errDiffers, count(v.failed, "scenario"))
	}
	return nil
}

// outcome counts what is not ok.
func (v *verification) outcome() string {
	var out []string
	for _, c := range []struct {
		n    int
		what string
	}{{v.failed, "failed"}, {v.invalid, "invalid"}, {v.unreadable, "unreadable"}} {
		if c.n > 0 {
			out = append(out, fmt.Sprintf("%d %s", c.n, c.what))
		}
	}
	if len(out) == 0 {
		return "ok"
	}
	return strings.Join(out, ", ")
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
