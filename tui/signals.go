package tui

import (
	"context"
	"os"
	"os/signal"
	"sync"
	"syscall"

	tea "github.com/charmbracelet/bubbletea"
)

// signals are the signals that the program gets. They are handled here and not
// by Bubble Tea, which drops those to end that come while the process is stopped,
// and knows neither SIGHUP nor those that stop a process.
type signals struct {
	ends chan os.Signal // those that ask a program to end
	jobs chan os.Signal // those of job control, on systems that have it

	over     chan struct{} // closed when nothing is to be handled any more
	handlers sync.WaitGroup
}

// catchSignals catches the signals until stop. They wait for handle.
func catchSignals() *signals {
	s := &signals{
		// One place is enough: the first signal to end decides, and a program that is
		// about to stop need not be told twice.
		ends: make(chan os.Signal, 1),
		jobs: make(chan os.Signal, 1),
		over: make(chan struct{}),
	}
	s.catch()
	return s
}

func (s *signals) catch() {
	signal.Notify(s.ends, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	s.catchJobs()
}

// handle ends a context with the signals to end, and passes the others on to a
// program. Each kind has a goroutine of its own, so that a program that does not
// listen can still be ended.
func (s *signals) handle(program *tea.Program, cancel context.CancelCauseFunc) {
	s.handlers.Go(func() {
		select {
		case sig := <-s.ends:
			cancel(endedBy{sig})
		case <-s.over:
		}
	})
	s.handlers.Go(func() {
		for {
			select {
			case sig := <-s.jobs:
				handleJob(program, sig)
			case <-s.over:
				return
			}
		}
	})
}

// stop ends the handling. The program must have ended before.
func (s *signals) stop() {
	signal.Stop(s.ends)
	signal.Stop(s.jobs)
	close(s.over)
	s.handlers.Wait()
}

// endedBy is why a program ended that got a signal to end.
type endedBy struct{ sig os.Signal }

// Error says it as package os/signal does.
func (e endedBy) Error() string { return e.sig.String() + " signal received" }

// Is makes it a cancellation.
func (e endedBy) Is(target error) bool { return target == context.Canceled }
