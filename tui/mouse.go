package tui

import tea "github.com/charmbracelet/bubbletea"

// mouse handles the wheel and clicks.
func (a *app) mouse(e tea.MouseEvent) tea.Cmd {
	by := 0
	switch {
	case e.Action != tea.MouseActionPress:
		return nil
	case e.Button == tea.MouseButtonWheelUp:
		by = -1
	case e.Button == tea.MouseButtonWheelDown:
		by = 1
	case e.Button != tea.MouseButtonLeft:
		return nil
	}
	switch {
	case a.tooSmall():
		return nil
	case a.page.kind != pageNone:
		a.scrollPage(by)
		return nil
	case a.player != nil:
		a.mouseInPlayer(e.X, e.Y, by)
		return nil
	default:
		return a.mouseInList(e.X, e.Y, by)
	}
}

// mouseInPlayer steps with the wheel over the lanes, scrolls the other panes,
// and goes to the row or pane that is clicked.
func (a *app) mouseInPlayer(x, y, by int) {
	p := a.player
	if p.run == nil || p.search.active {
		return
	}
	l := a.layout()
	at, ok := l.paneAt(x, y)
	switch {
	case by != 0 && ok && at != paneLanes:
		a.scrollPane(at, by)
	case by != 0:
		p.moveTo(p.step + by)
	case !ok:
	case at != paneLanes:
		p.focusOn(at)
	default:
		p.clickRow(y-l.panes[paneLanes].y, l.panes[paneLanes].h)
	}
}

// clickRow goes to the step of a row of the lanes.
func (p *player) clickRow(y, height int) {
	p.focusOn(paneLanes)
	step := stepAtRow(p.line(), p.step, height, y)
	if step >= 0 && (step <= p.step || !p.hideFuture) {
		p.moveTo(step)
	}
}

// mouseInList moves the choice with the wheel; a click chooses a lesson, and one
// on the chosen lesson opens it.
func (a *app) mouseInList(x, y, by int) tea.Cmd {
	if by != 0 {
		a.list.move(by)
		return nil
	}
	r := layOutList(a.width, a.height).list
	i := a.list.firstEntry(r.h) + y - r.y
	if !r.contains(x, y) || i >= len(a.list.entries) || !a.list.entries[i].isLesson() {
		return nil
	}
	if a.list.entries[i].lesson.ID == a.list.chosen {
		return a.doInList(actOpen)
	}
	a.list.chosen = a.list.entries[i].lesson.ID
	return nil
}
