package cells

import (
	"strings"

	"github.com/rivo/uniseg"
)

// Wrap breaks a line into lines of at most width cells. It breaks where Unicode
// allows it (UAX #14): at blanks, between Chinese characters, but not before
// their closing punctuation. A piece without such a place is cut.
func Wrap(l Line, width int) []Line {
	var out []Line
	for _, r := range breaks(l.Text(), max(width, 2)) {
		out = append(out, l.slice(r.from, r.to))
	}
	return out
}

// span is a range of bytes.
type span struct{ from, to int }

// breaker collects the lines of a text.
type breaker struct {
	width int
	lines []span
	line  span // the current line, without the blanks at its end
	used  int  // its cells, including the blanks at its end
}

func breaks(text string, width int) []span {
	b := breaker{width: width}
	state, at := -1, 0
	for rest := text; rest != ""; {
		var piece string
		var must bool
		piece, rest, must, state = uniseg.FirstLineSegmentInString(rest, state)
		b.add(piece, at)
		at += len(piece)
		if must && rest != "" {
			b.flush(at)
		}
	}
	b.flush(at)
	return b.lines
}

// add appends a piece that begins at byte at, on a new line if need be.
func (b *breaker) add(piece string, at int) {
	trimmed := strings.TrimRight(piece, " \n")
	w := Width(trimmed)
	if b.used > 0 && b.used+w > b.width {
		b.flush(at)
	}
	for w > b.width {
		cut := len(prefix(trimmed, b.width))
		b.line.to = at + cut
		b.flush(at + cut)
		piece, trimmed, at = piece[cut:], trimmed[cut:], at+cut
		w = Width(trimmed)
	}
	b.line.to = at + len(trimmed)
	b.used += Width(strings.TrimRight(piece, "\n"))
}

// flush ends the current line; the next one begins at byte at.
func (b *breaker) flush(at int) {
	b.lines = append(b.lines, b.line)
	b.line, b.used = span{at, at}, 0
}

// slice is the part of the line between two byte offsets of its text.
func (l Line) slice(from, to int) Line {
	var out Line
	at := 0
	for _, s := range l {
		low, high := max(from-at, 0), min(to-at, len(s.Text))
		if low < high {
			out = append(out, Span{s.Text[low:high], s.Look})
		}
		at += len(s.Text)
	}
	return out
}
