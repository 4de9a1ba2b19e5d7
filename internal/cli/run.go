package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/spf13/cobra"

	"github.com/lockstep-sim/lockstep/internal/transcript"
	"github.com/lockstep-sim/lockstep/lessons"
	"github.com/lockstep-sim/lockstep/scenarios"
	"github.com/lockstep-sim/lockstep/sim/runner"
	"github.com/lockstep-sim/lockstep/sim/script"
)

const runLong = `Run a scenario and print what happens, step by step.

--set changes a parameter that the scenario declares with "param". Expectations
that do not hold any more for that reason are reported as not applicable, and
neither as met nor as failed.

With --lang, a lesson's narration stands between the steps.`

func (a *app) runCommand() *cobra.Command {
	var variant string
	opts := runner.Options{Set: settings{}}
	cmd := &cobra.Command{
		Use:   "run ID|FILE",
		Short: "Run a scenario and print what happens",
		Long:  runLong,
		Example: "  lockstep run redis/02\n  lockstep run redis/02 --variant del --lang zh\n" +
			"  lockstep run redis/02 --set work=100ms --set ttl=1s\n  lockstep run mine.scn --format json",
		Args:              oneScenario,
		ValidArgsFunction: completeScenario,
	}
	cmd.Flags().StringVar(&variant, "variant", "", "`NAME` of the variant to run (default: all)")
	cmd.Flags().Var(settings(opts.Set), "set", "change a parameter: `NAME=VALUE` (can be repeated)")
	cmd.Flags().Uint64Var(&opts.Seed, "seed", 0, "`NUMBER` that the run's randomness starts from")
	format := addFormat(cmd)
	lang := a.addLang(cmd, "`LANG` of the text, en or zh, with narration (default: that of the environment, without)")
	completeFunc(cmd, "variant", completeVariant)
	completeFunc(cmd, "set", completeSetting)
	completeFunc(cmd, "seed", cobra.NoFileCompletions)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		sc, err := scenarios.Open(args[0])
		if err != nil {
			return err
		}
		results, err := runVariants(cmd.Context(), sc, variant, opts)
		if err != nil {
			return err
		}
		if *format == formatJSON {
			err = transcript.WriteJSON(a.out, sc, results)
		} else {
			err = a.writeRun(sc, results, lang)
		}
		if err != nil {
			return err
		}
		return verdict(sc, results)
	}
	return cmd
}

// writeRun writes runs as text, with narration where a language was asked for.
func (a *app) writeRun(sc *script.Scenario, results []*runner.Result, lang *langFlag) error {
	opts := transcript.Options{Lang: lang.lang}
	if lang.given {
		lesson, err := lessons.Load(sc.ID, lang.lang)
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // a scenario of the user's own has none
			return err
		}
		opts.Lesson = lesson
	}
	return transcript.WriteAll(a.out, results, opts)
}

// runVariants runs one variant or, without a name, all of them.
func runVariants(ctx context.Context, sc *script.Scenario, variant string, opts runner.Options) ([]*runner.Result, error) {
	if variant == "" {
		return runner.RunAll(ctx, sc, opts)
	}
	r, err := runner.Run(ctx, sc, variant, opts)
	if err != nil {
		return nil, err
	}
	return []*runner.Result{r}, nil
}

// verdict is an error if a variant is not as expected.
func verdict(sc *script.Scenario, results []*runner.Result) error {
	failed := 0
	first := ""
	for _, r := range results {
		for _, o := range r.Expects {
			if o.Status != runner.Failed {
				continue
			}
			if failed++; first == "" {
				first = fmt.Sprintf("%s:%d (%s): %s, got %s", script.Printable(sc.File), o.Line, r.Variant, o.Text, o.Got)
			}
		}
	}
	switch failed {
	case 0:
		return nil
	case 1:
		return fmt.Errorf("%w: %s", errDiffers, first)
	}
	return fmt.Errorf("%w: %s; and %d more", errDiffers, first, failed-1)
}
