package tui

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"
)

// Player is the player for tests outside of the package, with the run of a
// variant open.
type Player struct{ app *app }

// OpenPlayer opens what the options name.
func OpenPlayer(ctx context.Context, lib Library, opts Options) (*Player, error) {
	a := newApp(ctx, lib, opts, false)
	run, err := load(ctx, lib, a.player.wanted())
	if err != nil {
		return nil, err
	}
	a.opened(openedMsg{id: a.player.wanted(), run: run})
	return &Player{a}, nil
}

// Steps is how many steps the run has.
func (p *Player) Steps() int { return p.app.player.line().len() }

// Screen is what is seen at a step.
func (p *Player) Screen(step, width, height int) string {
	p.app.Update(tea.WindowSizeMsg{Width: width, Height: height})
	p.app.player.moveTo(step)
	return p.app.View()
}

// HiddenNarration is how many lines of the narration have no room at a step.
func (p *Player) HiddenNarration(lang Lang, step, width, height int) int {
	p.app.lang = lang
	p.app.width, p.app.height = width, height
	p.app.player.moveTo(step)
	r := p.app.layout().panes[paneNarration]
	return max(0, len(p.app.scene().narration(r.w-paneMargin).lines)-r.h)
}

// Marked reports whether another narration begins at a step.
func (p *Player) Marked(step int) bool { return step == 0 || p.app.player.line().marked(step) }
