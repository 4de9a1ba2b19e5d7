package tui

import (
	"github.com/lockstep-sim/lockstep/tui/internal/cells"
)

// listLayout says where the list and the preview are.
type listLayout struct {
	list, preview rect
	beside        bool // as opposed to one above the other
}

func layOutList(width, height int) listLayout {
	body := height - 2
	if width >= 72 {
		left := max(34, min(width*45/100, 56))
		return listLayout{
			list:    rect{0, 1, left, body},
			preview: rect{left + 1, 1, width - left - 1, body},
			beside:  true,
		}
	}
	rows := max(3, body*4/10)
	return listLayout{
		list:    rect{0, 1, width, body - rows - 1},
		preview: rect{0, height - 1 - rows, width, rows},
	}
}

// listRows is how far a page key goes in the list.
func (a *app) listRows() int { return max(layOutList(a.width, a.height).list.h-2, 1) }

// firstEntry is the entry at the top of a list of some height: the chosen one
// stays in the middle.
func (l *list) firstEntry(height int) int {
	return max(0, min(l.index()-height/2, len(l.entries)-height))
}

// draw draws everything but the foot.
func (l *list) draw(area cells.Area, a *app) {
	lay := layOutList(a.width, a.height)
	l.drawHeader(area.Row(0), a)
	l.drawEntries(lay.list.of(area), a)
	if lay.beside {
		for y := range lay.list.h {
			area.Put(lay.preview.x-1, lay.list.y+y, a.theme.sign.column, dim)
		}
	} else {
		area.Fill(0, lay.preview.y-1, area.Width(), a.theme.sign.rule, dim)
	}
	l.drawPreview(lay.preview.of(area), a)
}

func (l *list) drawHeader(area cells.Area, a *app) {
	area.Fill(0, 0, area.Width(), a.theme.sign.rule, dim)
	text := textID.format(txtLessonCount, a.lang, l.count())
	if q := l.filter.value(); q != "" {
		text = "/" + a.theme.fit(q, 12) + a.theme.sign.separator + text
	}
	end := area.Width() - cells.Width(text) - 3
	area.Put(end, 0, " "+text+" ", plain)
	x := area.Put(1, 0, " lockstep ", accent|cells.Bold)
	if name := " " + txtListTitle.in(a.lang) + " "; x+1+cells.Width(name) < end {
		area.Put(x+1, 0, name, title)
	}
}

func (l *list) drawEntries(area cells.Area, a *app) {
	if len(l.entries) == 0 {
		text := textID.format(txtNoMatch, a.lang, l.filter.value())
		area.Put(1, 0, a.theme.fit(text, area.Width()-2), dim)
		return
	}
	first := l.firstEntry(area.Height())
	for y := range area.Height() {
		if i := first + y; i < len(l.entries) {
			l.drawEntry(area.Row(y), &l.entries[i], a)
		}
	}
}

func (l *list) drawEntry(row cells.Area, e *entry, a *app) {
	if !e.isLesson() {
		row.Put(1, 0, a.theme.fit(e.chapter, row.Width()-2), title)
		return
	}
	sign, look := " ", plain
	if e.lesson.ID == l.chosen {
		sign, look = a.theme.sign.selected, cells.Reverse
		row.Fill(1, 0, row.Width()-2, " ", look)
	}
	row.Put(1, 0, sign+" "+a.theme.fit(e.lesson.Title, row.Width()-4), look)
}

// drawPreview draws the chosen lesson: what it asks, what it is about and which
// variants it has.
func (l *list) drawPreview(area cells.Area, a *app) {
	if l.index() < 0 {
		return
	}
	lesson := l.find(l.chosen)
	lines := a.previewLines(lesson, min(area.Width()-2, maxMeasure))
	for y, line := range lines[:min(len(lines), area.Height())] {
		area.PutLine(1, y, line)
	}
}

func (a *app) previewLines(l Lesson, width int) []cells.Line {
	lines := cells.Wrap(cells.Line{{Text: l.Title, Look: title}}, width)
	if l.Question != "" {
		lines = append(lines, a.theme.markdown("**"+l.Question+"**", width)...)
	}
	if l.Summary != "" {
		lines = append(lines, nil)
		lines = append(lines, a.theme.markdown(l.Summary, width)...)
	}
	lines = append(lines, nil)
	for _, v := range l.Variants {
		text := txtVariantFixed
		if v.Broken {
			text = txtVariantBroken
		}
		sign, look := a.theme.verdict(!v.Broken)
		lines = append(lines, cells.Line{{Text: sign + " ", Look: look}, {Text: text.format(a.lang, v.Name)}})
	}
	return append(lines, nil, cells.Line{{Text: l.ID, Look: dim}})
}
