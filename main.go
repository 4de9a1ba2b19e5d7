// Lockstep teaches distributed locks by running them.
package main

import (
	"os"
	"os/signal"
	"syscall"

	"github.com/lockstep-sim/lockstep/internal/cli"
)

func main() {
	// A reader that closes the pipe is no reason to die: the exit status still
	// has to say what came out.
	signal.Ignore(syscall.SIGPIPE)
	os.Exit(cli.Execute(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
