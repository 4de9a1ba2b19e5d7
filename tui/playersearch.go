package tui

import (
	"fmt"
	"slices"

	tea "github.com/charmbracelet/bubbletea"
)

// search is what the user is looking for in a run.
type search struct {
	prompt
	hits   hits
	origin int    // the step where the search began
	before []rune // the text of the search before
}

// begin starts typing a new text.
func (s *search) begin(step int) {
	s.before, s.text = s.text, nil
	s.active, s.hits, s.origin = true, nil, step
}

// typeSearch takes a key while the text is typed; the cursor is already moved to
// the first hit. Escape brings everything back. What it returns has to be told.
func (p *player) typeSearch(msg tea.KeyMsg, lang Lang) (notice string) {
	s := &p.search
	switch msg.Type {
	case tea.KeyEnter:
		s.active = false
		if s.value() != "" && len(s.hits) == 0 {
			return txtFoundNothing.format(lang, s.value())
		}
		return ""
	case tea.KeyEsc:
		s.active, s.text = false, s.before
	default:
		s.edit(msg)
	}
	p.findAgain(lang)
	p.moveTo(s.origin)
	if s.active && len(s.hits) > 0 {
		p.moveTo(s.hits.next(s.origin-1, 1))
	}
	return ""
}

// findAgain searches the run that is shown now.
func (p *player) findAgain(lang Lang) {
	if p.run != nil {
		p.search.hits = find(p.run, lang, p.search.value())
	}
}

// remark says which of the hits the cursor is on.
func (s *search) remark(step int) string {
	i, on := slices.BinarySearch(s.hits, step)
	if on {
		i++
	}
	return fmt.Sprintf("%d/%d", i, len(s.hits))
}
