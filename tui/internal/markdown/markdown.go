// Package markdown lays out lesson texts for the terminal.
//
// It knows what the texts use: paragraphs, headings, lists, quotes, fenced code, tables,
// **strong**, *emphasis*, `code` and links. What belongs here: turning that into
// lines of a given width. What does not: colours and scrolling.
//
// It is a renderer of its own for two measured reasons. Glamour v1.0.0 does not
// break Chinese text in list items (a 62-cell line where 40 were asked for), and
// CommonMark's rules for delimiters leave the asterisks standing in Chinese text
// such as "**锁没了。**于是", because no blank follows the full stop.
package markdown

import (
	"strings"

	"github.com/lockstep-sim/lockstep/tui/internal/cells"
)

// Style gives the parts of a text their looks.
type Style struct {
	Heading, Strong, Emphasis, Code, Quote cells.Look

	Bullet string // stands before a list item
	Bar    string // stands before the lines of a quote and of code
}

// Render lays src out in lines of at most width cells, with an empty line
// between blocks and none at the ends.
func Render(src string, width int, style Style) []cells.Line {
	r := renderer{style: style, width: max(width, 4)}
	for _, b := range parse(src) {
		r.block(b)
	}
	return r.lines
}

type renderer struct {
	style Style
	width int
	lines []cells.Line
	last  kind
}

func (r *renderer) block(b block) {
	if len(r.lines) > 0 && (b.kind != item || r.last != item) {
		r.lines = append(r.lines, nil)
	}
	r.last = b.kind
	switch b.kind {
	case heading:
		r.wrap(r.inline(b.text, r.style.Heading), "", "", 0)
	case item:
		r.item(b)
	case quote:
		bar := r.style.Bar + " "
		r.wrap(r.inline(b.text, r.style.Quote), bar, bar, r.style.Quote)
	case code:
		for line := range strings.SplitSeq(b.text, "\n") {
			text := cells.Fit(line, r.width-cells.Width(r.style.Bar)-1, "")
			r.lines = append(r.lines, cells.Line{{Text: r.style.Bar + " "}, {Text: text, Look: r.style.Code}})
		}
	case table:
		r.table(b.text)
	default:
		r.wrap(r.inline(b.text, 0), "", "", 0)
	}
}

func (r *renderer) item(b block) {
	mark := r.style.Bullet + " "
	if b.number != "" {
		mark = b.number + " "
	}
	indent := strings.Repeat("  ", b.level)
	r.wrap(r.inline(b.text, 0), indent+mark, indent+strings.Repeat(" ", cells.Width(mark)), 0)
}

// wrap appends a line, broken to the width; first and rest stand before its
// first and its further lines.
func (r *renderer) wrap(l cells.Line, first, rest string, look cells.Look) {
	before := first
	for _, part := range cells.Wrap(l, r.width-cells.Width(first)) {
		if before != "" {
			part = append(cells.Line{{Text: before, Look: look}}, part...)
		}
		r.lines = append(r.lines, part)
		before = rest
	}
}
