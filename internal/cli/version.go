package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  noArgs,
		RunE:  func(*cobra.Command, []string) error { return a.printf("%s\n", version()) },
	}
}

// version is the version of the module that the program was built from, or
// "(devel)" for one that was built from a working tree.
func version() string {
	v := "(devel)"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		v = info.Main.Version
	}
	return fmt.Sprintf("lockstep %s, %s %s/%s", v, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
