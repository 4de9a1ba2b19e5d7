package tui

import (
	tea "github.com/charmbracelet/bubbletea"

	"github.com/lockstep-sim/lockstep/tui/internal/cells"
)

// prompt is a line of input at the foot of the screen.
type prompt struct {
	active bool
	text   []rune
}

// maxPrompt bounds what can be typed or pasted, in characters.
const maxPrompt = 80

// edit takes a key. Enter and escape are left to the owner.
func (p *prompt) edit(msg tea.KeyMsg) {
	switch msg.Type {
	case tea.KeyBackspace:
		p.text = p.text[:max(len(p.text)-1, 0)]
	case tea.KeyCtrlU:
		p.text = nil
	case tea.KeyCtrlW:
		p.deleteWord()
	case tea.KeyRunes, tea.KeySpace:
		for _, r := range msg.Runes {
			if r >= ' ' && len(p.text) < maxPrompt {
				p.text = append(p.text, r)
			}
		}
	}
}

func (p *prompt) deleteWord() {
	n := len(p.text)
	for n > 0 && p.text[n-1] == ' ' {
		n--
	}
	for n > 0 && p.text[n-1] != ' ' {
		n--
	}
	p.text = p.text[:n]
}

func (p *prompt) value() string { return string(p.text) }

// draw writes the prompt with its cursor, and a remark at the right end. Of a
// long text the end is shown.
func (p *prompt) draw(a cells.Area, remark string) {
	room := a.Width() - cells.Width(remark) - 4
	text := p.text
	for len(text) > 0 && cells.Width(string(text)) > room {
		text = text[1:]
	}
	x := a.Put(1, 0, "/", accent|cells.Bold)
	x = a.Put(x, 0, string(text), plain)
	a.Put(x, 0, " ", cells.Reverse)
	a.Put(a.Width()-cells.Width(remark)-1, 0, remark, dim)
}
