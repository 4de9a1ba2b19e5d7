package cli

import (
	"bytes"
	"fmt"

	"github.com/spf13/cobra"
)

// setHelp makes a help text that cannot be written an error of the app: cobra
// only prints it.
func (a *app) setHelp(root *cobra.Command) {
	write := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		var text bytes.Buffer
		cmd.SetOut(&text)
		write(cmd, args)
		a.unhelpful = a.printf("%s", text.String())
	})
}

func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Show the help of a command",
		RunE: func(cmd *cobra.Command, args []string) error {
			found, rest, err := cmd.Root().Find(args)
			switch {
			case err != nil || found == cmd.Root() && len(rest) > 0:
				return unknownCommand(cmd.Root(), args[0])
			case len(rest) > 0:
				return fmt.Errorf("help takes one command: %q is too much", rest[0])
			}
			found.InitDefaultHelpFlag()
			found.InitDefaultVersionFlag()
			return found.Help()
		},
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			var names []cobra.Completion
			for _, c := range cmd.Root().Commands() {
				if len(args) == 0 && c.IsAvailableCommand() {
					names = append(names, cobra.CompletionWithDesc(c.Name(), c.Short))
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
	}
}
