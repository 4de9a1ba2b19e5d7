package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/lockstep-sim/lockstep/internal/library"
	"github.com/lockstep-sim/lockstep/lessons"
	"github.com/lockstep-sim/lockstep/scenarios"
	"github.com/lockstep-sim/lockstep/sim/script"
	"github.com/lockstep-sim/lockstep/tui"
)

const rootLong = `Lockstep teaches distributed locks by running them.

Without a command it opens the lessons in the terminal. Every timeline is an
execution of the lock implementations below impl/ in virtual time.

Exit status: 0 if all is as expected, 1 if an expectation fails or an invariant
is broken by surprise, 2 for wrong usage or an unreadable or invalid file.`

const rootExample = `  lockstep                      open the lessons
  lockstep --plain              list them as text
  lockstep --plain redis/02     tell one as text
  lockstep play redis/02        step through one
  lockstep run redis/02 --set work=100ms`

// withoutTerminal says how to go on.
var withoutTerminal = map[lessons.Lang]string{
	lessons.English: `The lessons need a terminal. Without one:

  lockstep lessons             lists the lessons
  lockstep --plain redis/02    tells a lesson as text
  lockstep run redis/02        prints what happens, step by step
  lockstep --help              shows everything else
`,
	lessons.Chinese: `交互课程需要终端。没有终端时可以用：

  lockstep lessons             列出课程
  lockstep --plain redis/02    以纯文本讲解一课
  lockstep run redis/02        逐步打印执行过程
  lockstep --help              查看其他用法
`,
}

func (a *app) root() *cobra.Command {
	cobra.MousetrapHelpText = "" // on Windows, a double click opens the lessons
	var plain, ascii bool
	cmd := &cobra.Command{
		Use:           "lockstep",
		Short:         "Distributed locks, taught by running them",
		Long:          rootLong,
		Example:       rootExample,
		Version:       version(),
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	cmd.Flags().BoolVar(&plain, "plain", false, "plain text: the list of lessons or, with an ID or a file, a lesson")
	cmd.Flags().BoolVar(&ascii, "ascii", false, "draw with ASCII characters only")
	lang := a.addLang(cmd, "`LANG` of the texts, en or zh (default: that of the environment)")
	cmd.Args = func(cmd *cobra.Command, args []string) error { return rootArgs(cmd, args, plain) }
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		switch {
		case plain && len(args) == 1:
			return a.tell(cmd.Context(), args[0], "", lang.lang)
		case plain:
			return a.listLessons(lang.lang)
		case !a.terminal():
			return a.printf("%s", withoutTerminal[lang.lang])
		}
		return a.show(cmd.Context(), library.New(nil), tui.Options{Lang: tui.Lang(lang.lang), ASCII: ascii})
	}
	cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if !plain {
			return nil, cobra.ShellCompDirectiveNoFileComp // the commands are added to this
		}
		return completeScenario(cmd, args, word)
	}
	cmd.SetFlagErrorFunc(flagError)
	cmd.SetVersionTemplate("{{.Version}}\n")
	cmd.SetHelpCommand(helpCommand())
	a.setHelp(cmd)
	cmd.CompletionOptions.DisableDefaultCmd = true // it takes any word for a shell
	cmd.AddCommand(a.lessonsCommand(), a.glossaryCommand(), a.guideCommand(), a.playCommand(), a.runCommand(), a.verifyCommand(), a.demoCommand(),
		a.completionCommand(), a.versionCommand())
	return cmd
}

// rootArgs takes the name of a scenario with --plain only: anything else is a
// command that does not exist.
func rootArgs(cmd *cobra.Command, args []string, plain bool) error {
	switch {
	case len(args) == 0:
		return nil
	case plain:
		return oneScenario(cmd, args)
	}
	if _, err := scenarios.Resolve(args[0]); err == nil || scenarios.IsFile(args[0]) {
		return fmt.Errorf("unknown command %q: did you mean lockstep play %s?", args[0], script.Printable(args[0]))
	}
	return unknownCommand(cmd, args[0])
}
