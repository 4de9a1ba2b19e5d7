package kernel

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"time"
)

// StallError says that a task did not give control back to the kernel: it
// blocks, or computes for ever, outside the primitives of impl/clock.
type StallError struct {
	Task  string // the task and its process
	After time.Duration
	Stack string // where it stands
}

func (e *StallError) Error() string {
	return fmt.Sprintf("%s has not given control back for %v: it breaks the rule that an implementation blocks only in a backend call or in a waiting primitive of its clock; it stands at\n%s",
		e.Task, e.After, e.Stack)
}

// supervise waits for the loop, watching in real time that it makes progress.
func (k *Kernel) supervise(ctx context.Context, done <-chan error) error {
	tick := time.NewTicker(k.limits.Stall / 4)
	defer tick.Stop()
	last, since := k.progress.Load(), time.Now()
	for {
		select {
		case err := <-done:
			return err
		case <-ctx.Done():
			k.aborted.Store(true)
			ctx = context.WithoutCancel(ctx) // now wait for the loop to notice
		case <-tick.C:
			if now := k.progress.Load(); now != last {
				last, since = now, time.Now()
			} else if time.Since(since) >= k.limits.Stall {
				return k.stall(time.Since(since))
			}
		}
	}
}

// stall reports the task that never came back. Its coroutine stays behind: Go
// has no way to end a goroutine from outside.
func (k *Kernel) stall(after time.Duration) error {
	k.stalled = true
	name := "the environment"
	if t := k.last.Load(); t != nil {
		name = fmt.Sprintf("task %s of %s", t.name, t.proc.name)
	}
	return &StallError{Task: name, After: after.Round(100 * time.Millisecond), Stack: stuckStack()}
}

// stuckStack is the stack of the goroutine that runs task code, cut to the
// frames above the kernel.
func stuckStack() string {
	buf := make([]byte, 1<<20)
	buf = buf[:runtime.Stack(buf, true)]
	for g := range strings.SplitSeq(string(buf), "\n\n") {
		head, _, ok := strings.Cut(g, "kernel.(*Task).run(")
		if !ok || strings.Contains(head, "[coroutine]") {
			continue
		}
		return strings.TrimRight(head, "\n")
	}
	return "(stack not found)"
}
