package tui

import (
	"io"

	tea "github.com/charmbracelet/bubbletea"
)

// suspendMsg asks the program to stop: SIGTSTP came.
type suspendMsg struct{}

// resumedMsg says that the program goes on after it was stopped.
type resumedMsg struct{ err error }

// suspend gives the terminal back and stops the process until somebody, mostly a
// shell with fg, continues it.
func (a *app) suspend() tea.Cmd {
	if a.noShell {
		a.notice = txtNoShell.in(a.lang)
		return nil
	}
	return tea.Exec(stopper{a.signals}, func(err error) tea.Msg { return resumedMsg{err} })
}

// resumed asks for the mouse again, which Bubble Tea forgets.
func (a *app) resumed(msg resumedMsg) tea.Cmd {
	if msg.err != nil {
		a.notice = msg.err.Error()
	}
	return tea.EnableMouseCellMotion
}

// stopper is to Bubble Tea a command that has the terminal to itself while it
// runs. What runs meanwhile is the shell.
type stopper struct{ signals *signals }

func (stopper) SetStdin(io.Reader)  {}
func (stopper) SetStdout(io.Writer) {}
func (stopper) SetStderr(io.Writer) {}
