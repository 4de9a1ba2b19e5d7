package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/lockstep-sim/lockstep/internal/demo"
	"github.com/lockstep-sim/lockstep/internal/demo/backend"
	"github.com/lockstep-sim/lockstep/internal/demo/contest"
)

const demoLong = `Let workers contend for a real lock, on a server inside this process or on a
given one, to increment a counter. Each reads it, waits for a moment and writes
it back: two inside at the same time lose an update.

The embedded backends are consul, etcd, redis, sqlite and zk. A URL names another
server by its scheme: consul, etcd, mysql, postgres, redis, rediss, redlock,
sqlite or zk. On a given server the demo leaves nothing locked, but the empty
node or the lock table that the lock "lockstep-demo" needed.

"wait" is the time from asking for the lock to having it, "hand-off" that from
one worker's call of Release to another's grant, "to itself" the share of the
grants that went to the worker that had released last. "requests" are those for
one lock and unlock, alone and in contention, where waiting and renewing count
too; they are counted on the embedded backends.

Ctrl-C, or q, ends it with the verdict so far. Exit status: 0 if no update was
lost, 1 if one was, which is what --no-lock is for, 2 for wrong usage and for a
server that cannot be used.`

const demoExample = `  lockstep demo redis
  lockstep demo redis --no-lock
  lockstep demo zk --workers 20 --duration 10s
  lockstep demo postgres://user@localhost/app --ttl 5s --plain`

func (a *app) demoCommand() *cobra.Command {
	workers, duration, ttl := workersFlag(8), durationFlag(5*time.Second), durationFlag(0)
	var noLock, plain bool
	cmd := &cobra.Command{
		Use:     "demo NAME|URL",
		Short:   "Let workers contend for a real lock",
		Long:    demoLong,
		Example: demoExample,
		Args:    oneBackend,
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return backend.Names(), cobra.ShellCompDirectiveNoFileComp
		},
	}
	cmd.Flags().Var(&workers, "workers", "`N` workers, from 1 to 500")
	cmd.Flags().Var(&duration, "duration", "how long they go on: `D` such as 10s")
	cmd.Flags().Var(&ttl, "ttl", "length of a lease: `D` such as 10s (default: that of the lock)")
	cmd.Flags().Lookup("ttl").DefValue = "" // it depends on the backend
	cmd.Flags().BoolVar(&noLock, "no-lock", false, "do without the lock, to see what it is for")
	cmd.Flags().BoolVar(&plain, "plain", false, "plain lines instead of the live view")
	for _, name := range []string{"workers", "duration", "ttl"} {
		completeFunc(cmd, name, cobra.NoFileCompletions)
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		o := demo.Options{
			Target: args[0], Workers: int(workers), Duration: time.Duration(duration), TTL: time.Duration(ttl),
			NoLock: noLock, Out: a.out, Live: !plain && a.terminal(),
		}
		return judge(cmd.Context(), o, demo.Run)
	}
	return cmd
}

// oneBackend wants the name or URL of one backend.
func oneBackend(_ *cobra.Command, args []string) error {
	switch len(args) {
	case 0:
		return errors.New("demo needs the name of a backend, such as redis, or a URL")
	case 1:
		return nil
	}
	return fmt.Errorf("demo takes one backend: %q is too much", args[1])
}

// judge runs a demo and is an error if updates were lost.
func judge(ctx context.Context, o demo.Options, run func(context.Context, demo.Options) (contest.Snapshot, error)) error {
	result, err := run(ctx, o)
	if err != nil {
		return err
	}
	if text := demo.Loss(o, result); text != "" {
		return lossError(text)
	}
	return nil
}

// lossError says that updates were lost. It means exit status 1.
type lossError string

func (e lossError) Error() string { return string(e) }

// Is makes it an errDiffers without the words of that.
func (e lossError) Is(target error) bool { return target == errDiffers }

// workersFlag is a number of workers. It implements pflag.Value.
type workersFlag int

const maxWorkers = 500

func (f *workersFlag) String() string { return strconv.Itoa(int(*f)) }

func (f *workersFlag) Type() string { return "number" }

func (f *workersFlag) Set(s string) error {
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 || n > maxWorkers {
		return fmt.Errorf("%q is not a number from 1 to %d", s, maxWorkers)
	}
	*f = workersFlag(n)
	return nil
}

// durationFlag is a duration above zero. It implements pflag.Value.
type durationFlag time.Duration

func (f *durationFlag) String() string { return time.Duration(*f).String() }

func (f *durationFlag) Type() string { return "duration" }

func (f *durationFlag) Set(s string) error {
	d, err := time.ParseDuration(s)
	if err != nil || d <= 0 {
		return fmt.Errorf("%q is not a duration above zero, such as 10s", s)
	}
	*f = durationFlag(d)
	return nil
}
