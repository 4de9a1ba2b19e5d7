// Package cells draws text on a grid of terminal cells and breaks it into lines.
//
// All widths are counted in cells: a Chinese character takes two, a combining
// mark none, and no function here ever splits a character. What belongs here:
// the grid, clipping, cutting and wrapping. What does not: colours (a [Look] is
// a number that the caller gives a meaning to) and anything about locks.
package cells

import "strings"

// Look says how a cell looks. The low byte is a colour role that the caller
// chooses; the attributes are bits above it.
type Look uint16

// The attributes of a look.
const (
	Bold Look = 1 << (8 + iota)
	Reverse
	Underline
	Faint
)

// Role is the look without its attributes.
func (l Look) Role() Look { return l & 0xff }

// Width is the number of cells that s takes when it is drawn. Ambiguous
// characters count as one cell, as modern terminals draw them.
func Width(s string) int {
	n := 0
	for s != "" {
		text, w := next(s)
		s = s[len(text):]
		n += w
	}
	return n
}

// Fit is s if it takes at most width cells, and otherwise its beginning with
// tail at the end. A beginning that ends with tail itself gets no second one.
func Fit(s string, width int, tail string) string {
	if width <= 0 {
		return ""
	}
	if Width(s) <= width {
		return s
	}
	room := width - Width(tail)
	if room < 0 {
		return prefix(s, width)
	}
	return strings.TrimSuffix(strings.TrimRight(prefix(s, room), " "), tail) + tail
}

// FitMiddle is s if it takes at most width cells, and otherwise its beginning and
// its end with mark between them.
func FitMiddle(s string, width int, mark string) string {
	room := width - Width(mark)
	if Width(s) <= width || room < 2 {
		return Fit(s, width, mark)
	}
	head := prefix(s, room/2)
	tail := s[len(head):]
	for Width(tail) > room-Width(head) {
		text, _ := next(tail)
		tail = tail[len(text):]
	}
	return head + mark + tail
}

// Choose is the first of the texts, the longest first, that fits into width
// cells; if none does, the last one is cut.
func Choose(width int, tail string, texts ...string) string {
	for _, s := range texts {
		if Width(s) <= width {
			return s
		}
	}
	return Fit(texts[len(texts)-1], width, tail)
}

// Span is a piece of text of one look.
type Span struct {
	Text string
	Look Look
}

// Line is one line of text with its looks.
type Line []Span

// Text is the line without its looks.
func (l Line) Text() string {
	var b strings.Builder
	for _, s := range l {
		b.WriteString(s.Text)
	}
	return b.String()
}

// Width is the number of cells that the line takes.
func (l Line) Width() int {
	w := 0
	for _, s := range l {
		w += Width(s.Text)
	}
	return w
}

// Fit is l if it takes at most width cells, and otherwise its beginning with tail
// at the end, in the look of what is cut.
func (l Line) Fit(width int, tail string) Line {
	if l.Width() <= width {
		return l
	}
	var out Line
	for _, s := range l {
		if w := Width(s.Text); w < width {
			out = append(out, s)
			width -= w
			continue
		}
		// What follows is cut, so even a span that fits just so is not whole.
		return append(out, Span{Fit(s.Text+tail+" ", width, tail), s.Look})
	}
	return out
}

// prefix is the longest beginning of s that takes at most width cells.
func prefix(s string, width int) string {
	at := 0
	for at < len(s) {
		text, w := next(s[at:])
		if width -= w; width < 0 {
			break
		}
		at += len(text)
	}
	return s[:at]
}
