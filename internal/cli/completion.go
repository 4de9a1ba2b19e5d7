package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
)

const completionLong = `Print a script that makes a shell complete commands, flags, the IDs of scenarios,
variants and parameters.`

const completionExample = `  source <(lockstep completion bash)
  lockstep completion zsh > "${fpath[1]}/_lockstep"
  lockstep completion fish > ~/.config/fish/completions/lockstep.fish
  lockstep completion powershell | Out-String | Invoke-Expression`

var shells = []string{"bash", "zsh", "fish", "powershell"}

func (a *app) completionCommand() *cobra.Command {
	return &cobra.Command{
		Use:       "completion bash|zsh|fish|powershell",
		Short:     "Print the completion script of a shell",
		Long:      completionLong,
		Example:   completionExample,
		Args:      oneShell,
		ValidArgs: shells,
		RunE: func(cmd *cobra.Command, args []string) error {
			return writeCompletion(cmd.Root(), a.out, args[0])
		},
	}
}

func oneShell(_ *cobra.Command, args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("completion needs the name of one shell: %s", strings.Join(shells, ", "))
	}
	return nil
}

func writeCompletion(root *cobra.Command, w io.Writer, shell string) error {
	switch shell {
	case "bash":
		return root.GenBashCompletionV2(w, true)
	case "zsh":
		return root.GenZshCompletion(w)
	case "fish":
		return root.GenFishCompletion(w, true)
	case "powershell":
		return root.GenPowerShellCompletionWithDesc(w)
	}
	return fmt.Errorf("unknown shell %q: there are %s", shell, strings.Join(shells, ", "))
}
