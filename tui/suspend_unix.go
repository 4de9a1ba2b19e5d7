//go:build unix

package tui

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"

	tea "github.com/charmbracelet/bubbletea"
	"golang.org/x/sys/unix"
)

func (s *signals) catchJobs() { signal.Notify(s.jobs, syscall.SIGTSTP, syscall.SIGQUIT) }

// release gives the signals back to the runtime: those to end end the process at
// once.
func (s *signals) release() {
	signal.Reset(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGTSTP, syscall.SIGQUIT)
}

// handleJob passes a signal of job control on.
func handleJob(program *tea.Program, sig os.Signal) {
	if sig == syscall.SIGTSTP {
		program.Send(suspendMsg{})
		return
	}
	// The stacks are wanted as they are, perhaps because the program hangs: so the
	// terminal is restored from here, and then the runtime dumps and exits.
	_ = program.ReleaseTerminal() // there is nobody to tell
	signal.Reset(syscall.SIGQUIT)
	_ = syscall.Kill(os.Getpid(), syscall.SIGQUIT)
}

// haveShell reports whether a shell could continue the process. Above the group
// of the session's leader, as in a container or a terminal window that runs the
// program directly, there is none, and the system would ignore a SIGTSTP.
func haveShell() bool {
	session, err := unix.Getsid(0)
	return err == nil && session != ownGroup() && !signal.Ignored(syscall.SIGTSTP)
}

// Run stops the process group, as the terminal does at ctrl+z, until the process
// is continued in the foreground. It takes SIGSTOP for that: once Go has caught
// SIGTSTP, the runtime keeps its handler, and the signal never stops again.
//
// Meanwhile no signal is caught: the terminal is not ours, so one that ends a
// stopped program must not make it touch the terminal on its way out.
func (s stopper) Run() error {
	s.signals.release()
	defer s.signals.catch()
	continued := make(chan os.Signal, 1)
	signal.Notify(continued, syscall.SIGCONT)
	defer signal.Stop(continued)
	for {
		if err := syscall.Kill(0, syscall.SIGSTOP); err != nil {
			return fmt.Errorf("stopping the process group: %w", err)
		}
		<-continued
		if inForeground() {
			return nil
		}
	}
}

// inForeground reports whether the process may use the terminal. A shell's bg
// continues it, too, but keeps the terminal.
func inForeground() bool {
	group, err := unix.IoctlGetInt(int(os.Stdin.Fd()), unix.TIOCGPGRP)
	return err != nil || group == ownGroup()
}

func ownGroup() int {
	group, _ := unix.Getpgid(0) // never fails for the process itself
	return group
}
