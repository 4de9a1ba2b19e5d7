package tui

import (
	"github.com/lockstep-sim/lockstep/tui/internal/cells"
)

// page is a text that covers the screen.
type page struct {
	kind   pageKind
	scroll int
	guide  guide // of pageGuide
}

type pageKind int

const (
	pageNone pageKind = iota
	pageHelp
	pageText
	pageGlossary
	pageGuide
)

// toggle shows a page, or closes it if it is shown.
func (p *page) toggle(kind pageKind) {
	if p.kind == kind {
		kind = pageNone
	}
	*p = page{kind: kind}
}

// doInPage performs an action while a page is shown.
func (a *app) doInPage(act action) {
	rows := a.height - 2
	switch act {
	case actUp:
		a.scrollPage(-1)
	case actDown:
		a.scrollPage(1)
	case actPageUp:
		a.scrollPage(-rows + 1)
	case actPageDown:
		a.scrollPage(rows - 1)
	case actFirst:
		a.page.scroll = 0
	case actLast:
		a.scrollPage(len(a.pageLines()))
	case actBack:
		a.page = page{}
	}
}

func (a *app) scrollPage(by int) {
	if a.page.kind == pageGuide {
		a.moveAnswer(by)
		return
	}
	a.page.scroll = max(0, min(a.page.scroll+by, len(a.pageLines())-(a.height-2)))
}

// drawPage draws the page with its title above it.
func (a *app) drawPage(area cells.Area) {
	body := area.Sub(0, 1, area.Width(), area.Height()-2)
	lines, from := a.pageLines(), a.page.scroll
	if a.page.kind == pageGuide {
		var first, end int
		lines, first, end = a.guideLines(min(a.width-2, maxMeasure))
		from = max(0, min(first, end-body.Height()))
	}
	top := max(0, min(from, len(lines)-body.Height()))
	shown := lines[top:min(top+body.Height(), len(lines))]
	for y, l := range shown {
		body.PutLine(1, y, l)
	}
	area.Fill(0, 0, area.Width(), a.theme.sign.rule, dim)
	area.Put(1, 0, " "+a.theme.fit(a.pageTitle(), area.Width()-9)+" ", title)
	if more := moreSign(a.theme, top, len(shown), len(lines)); more != "" {
		area.Put(area.Width()-cells.Width(more)-3, 0, " "+more+" ", accent)
	}
}

func (a *app) pageTitle() string {
	switch a.page.kind {
	case pageText:
		return a.player.lesson.Title
	case pageGlossary:
		return txtGlossaryTitle.in(a.lang)
	case pageGuide:
		return txtGuideTitle.in(a.lang)
	default:
		return txtHelpTitle.in(a.lang)
	}
}

func (a *app) pageLines() []cells.Line {
	switch measure := min(a.width-2, maxMeasure); a.page.kind {
	case pageText:
		return a.theme.markdown(a.player.run.text(a.lang).Lesson, measure)
	case pageGlossary:
		return a.theme.markdown(a.lib.Glossary(a.lang), measure)
	default:
		return a.helpLines(a.width - 2)
	}
}

// maxMeasure is the length of line beyond which a text is hard to read.
const maxMeasure = 90
