package tui

import (
	"github.com/lockstep-sim/lockstep/tui/internal/cells"
)

// paneMargin is what a pane loses at its sides: a blank before its text.
const paneMargin = 2

// scene is what the player shows now.
func (a *app) scene() *scene {
	p := a.player
	s := &scene{
		theme: a.theme, lang: a.lang, lesson: p.lesson, variant: p.variant,
		run: p.run, line: p.run.line, step: p.step, world: p.run.Trace.At(p.step),
		hits: p.search.hits, hideFuture: p.hideFuture, first: p.first,
	}
	if p.playing {
		s.playing = speedText(speeds[p.speed], a.theme.ascii)
	}
	return s
}

// draw draws everything but the foot.
func (p *player) draw(area cells.Area, a *app) {
	if p.run == nil {
		p.drawWaiting(area, a)
		return
	}
	s, l := a.scene(), a.layout()
	s.drawHeader(l.header.of(area))
	for _, y := range l.rules {
		area.Fill(0, y, l.width, a.theme.sign.rule, dim)
	}
	if r := l.panes[paneLanes]; r.h > 0 {
		v := s.laneView(r.w)
		v.drawHead(l.head.of(area))
		v.drawRows(r.of(area))
		s.drawBelief(l.belief.of(area), l.panes[paneCounters].h == 0)
	}
	s.drawDetail(l.detail.of(area))
	for f := paneLanes + 1; f < numPanes; f++ {
		if r := l.panes[f]; r.h > 0 {
			p.drawPane(area, s, f, r)
		}
	}
}

// drawPane draws a pane with its title in the rule above it.
func (p *player) drawPane(area cells.Area, s *scene, f pane, r rect) {
	c := s.pane(f, r.w-paneMargin, r.h)
	by := 0
	if f == p.focus {
		by = p.scroll
	}
	top, lines := c.scrolled(by, r.h)
	for y, l := range lines {
		r.of(area).Sub(1, y, r.w-1, 1).PutLine(0, 0, l)
	}
	if r.x > 0 {
		for y := range r.h {
			area.Put(r.x-1, r.y+y, s.sign.column, dim)
		}
	}
	p.drawTitle(area.Sub(r.x, r.y-1, r.w, 1), s, f, c.title, moreSign(s.theme, top, len(lines), len(c.lines)))
}

// drawTitle writes the title of a pane; that of the pane with the focus is
// reversed.
func (p *player) drawTitle(a cells.Area, s *scene, f pane, text, more string) {
	look := title
	if f == p.focus {
		look = title | cells.Reverse
	}
	a.Put(1, 0, " "+s.fit(text, a.Width()-5-cells.Width(more))+" ", look)
	if more != "" {
		a.Put(a.Width()-cells.Width(more)-2, 0, " "+more+" ", accent)
	}
}

// moreSign tells in which directions there is more to read.
func moreSign(t *theme, top, shown, all int) string {
	more := ""
	if top > 0 {
		more += t.sign.up
	}
	if top+shown < all {
		more += t.sign.more
	}
	return more
}

// drawWaiting draws the player before there is a run, or the reason why there
// will be none.
func (p *player) drawWaiting(area cells.Area, a *app) {
	area.Fill(0, 0, area.Width(), a.theme.sign.rule, dim)
	area.Put(1, 0, " "+a.theme.fit(p.lesson.Title, area.Width()-4)+" ", title)
	line := cells.Line{{Text: txtOpening.in(a.lang), Look: dim}}
	if p.err != nil {
		line = cells.Line{{Text: a.theme.sign.no + " " + p.err.Error(), Look: bad}}
	}
	body := area.Sub(2, 2, area.Width()-4, area.Height()-3)
	for y, l := range cells.Wrap(line, body.Width()) {
		body.PutLine(0, y, l)
	}
}
