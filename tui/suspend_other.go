//go:build !unix

package tui

import (
	"errors"
	"os"

	tea "github.com/charmbracelet/bubbletea"
)

// There is no job control here: nothing of this is ever called.

func (s *signals) catchJobs() {}

func handleJob(*tea.Program, os.Signal) {}

func haveShell() bool { return false }

// Run stops nothing.
func (stopper) Run() error { return errors.ErrUnsupported }
