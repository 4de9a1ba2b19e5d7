package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/spf13/cobra"

	"github.com/lockstep-sim/lockstep/internal/library"
	"github.com/lockstep-sim/lockstep/internal/transcript"
	"github.com/lockstep-sim/lockstep/lessons"
	"github.com/lockstep-sim/lockstep/scenarios"
	"github.com/lockstep-sim/lockstep/sim/runner"
	"github.com/lockstep-sim/lockstep/sim/script"
	"github.com/lockstep-sim/lockstep/tui"
)

func (a *app) playCommand() *cobra.Command {
	var variant string
	var plain, ascii bool
	cmd := &cobra.Command{
		Use:   "play ID|FILE",
		Short: "Step through a lesson, or a scenario of your own",
		Long: `Step through a lesson, or a scenario of your own, in the terminal.

With --plain the lesson is told as text, for screen readers, pipes and logs.
Part of an ID is enough if no other one begins with it.`,
		Example: "  lockstep play redis/02\n  lockstep play redis/02 --variant compare-and-delete --lang zh\n" +
			"  lockstep play redis/02 --plain\n  lockstep play mine.scn",
		Args:              oneScenario,
		ValidArgsFunction: completeScenario,
	}
	cmd.Flags().StringVar(&variant, "variant", "", "`NAME` of the variant to begin with (default: the first)")
	cmd.Flags().BoolVar(&plain, "plain", false, "plain text instead of the interactive player")
	cmd.Flags().BoolVar(&ascii, "ascii", false, "draw with ASCII characters only")
	lang := a.addLang(cmd, "`LANG` of the texts, en or zh (default: that of the environment)")
	completeFunc(cmd, "variant", completeVariant)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if plain {
			return a.tell(cmd.Context(), args[0], variant, lang.lang)
		}
		return a.play(cmd.Context(), args[0], tui.Options{Lang: tui.Lang(lang.lang), ASCII: ascii, Variant: variant})
	}
	return cmd
}

// play opens the player. The variant is run before, so that what is wrong with
// it is told by the command and not by the screen.
func (a *app) play(ctx context.Context, name string, opts tui.Options) error {
	sc, err := scenarios.Open(name)
	if err != nil {
		return err
	}
	if opts.Variant == "" {
		opts.Variant = sc.Variants[0].Name.Text
	}
	if _, err := runner.Run(ctx, sc, opts.Variant, runner.Options{}); err != nil {
		return err
	}
	if !a.terminal() {
		return fmt.Errorf("the player needs a terminal: lockstep play %s --plain tells the same as text", name)
	}
	opts.Lesson = sc.ID
	var own *script.Scenario
	if scenarios.IsFile(name) {
		own = sc
	}
	return a.show(ctx, library.New(own), opts)
}

// tell writes a lesson as text, with one variant or all of them.
func (a *app) tell(ctx context.Context, name, variant string, lang lessons.Lang) error {
	sc, err := scenarios.Open(name)
	if err != nil {
		return err
	}
	results, err := runVariants(ctx, sc, variant, runner.Options{})
	if err != nil {
		return err
	}
	lesson, err := lessons.Load(sc.ID, lang)
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // a scenario of the user's own has none
		return err
	}
	if err := transcript.WriteLesson(a.out, results, transcript.Options{Lang: lang, Lesson: lesson}); err != nil {
		return err
	}
	return verdict(sc, results)
}
