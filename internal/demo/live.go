package demo

import (
	"context"
	"fmt"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"

	"github.com/lockstep-sim/lockstep/internal/demo/contest"
)

const (
	frame   = 100 * time.Millisecond // between two pictures
	history = 10                     // pictures that the present rate is taken over
)

// showLive shows the contest on the terminal until it is over. A key ends the
// contest by stop, and with it the view.
func (s *stage) showLive(over <-chan struct{}, stop context.CancelFunc) error {
	// Signals end the context of the whole, and with it the contest.
	p := tea.NewProgram(newLive(s, stop), append(s.program, tea.WithoutSignalHandler())...)
	shown := make(chan error, 1)
	go func() {
		_, err := p.Run()
		shown <- err
	}()
	var err error
	select {
	case <-over:
		p.Send(overMsg{})
		err = <-shown
	case err = <-shown:
	}
	if err != nil {
		return fmt.Errorf("show the demo: %w", err)
	}
	return nil
}

type (
	frameMsg struct{} // it is time for a picture
	overMsg  struct{} // the contest is over
)

// live is the model of the live view.
type live struct {
	stage         *stage
	stop          context.CancelFunc
	style         styles
	width, height int
	past          []contest.Snapshot // the latest is the last; never empty
}

func newLive(s *stage, stop context.CancelFunc) *live {
	return &live{
		stage: s, stop: stop, style: newStyles(lipgloss.DefaultRenderer()),
		past: []contest.Snapshot{s.contest.Snapshot()},
	}
}

// Init implements tea.Model.
func (l *live) Init() tea.Cmd { return nextFrame() }

func nextFrame() tea.Cmd {
	return tea.Tick(frame, func(time.Time) tea.Msg { return frameMsg{} })
}

// Update implements tea.Model.
func (l *live) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		l.width, l.height = msg.Width, msg.Height
	case tea.KeyMsg:
		switch msg.String() {
		case "ctrl+c", "q", "esc":
			l.stop()
		}
	case frameMsg:
		l.look(l.stage.contest.Snapshot())
		return l, nextFrame()
	case overMsg:
		return l, tea.Quit
	}
	return l, nil
}

// look remembers a snapshot and forgets those that are too old.
func (l *live) look(now contest.Snapshot) {
	l.past = append(l.past, now)
	if drop := len(l.past) - history - 1; drop > 0 {
		l.past = l.past[drop:]
	}
}

// View implements tea.Model.
func (l *live) View() string {
	if l.width < minWidth || l.height < minHeight {
		return fmt.Sprintf("The demo needs %d×%d cells.\n", minWidth, minHeight)
	}
	return l.picture(l.past[len(l.past)-1], l.past[0])
}
