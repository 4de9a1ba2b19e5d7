package cells

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Canvas is a grid of cells to draw on.
type Canvas struct {
	width, height int
	cells         []cell
	replace       func(string) string
}

// cell holds one character. The cells that a wide character covers besides its
// first one have an empty text.
type cell struct {
	text string
	look Look
}

// NewCanvas makes a blank canvas. Every character that is not plain ASCII is
// passed through replace, unless that is nil; replace must keep the width.
func NewCanvas(width, height int, replace func(string) string) *Canvas {
	c := &Canvas{width: width, height: height, cells: make([]cell, width*height), replace: replace}
	for i := range c.cells {
		c.cells[i].text = " "
	}
	return c
}

// Area is the whole canvas.
func (c *Canvas) Area() Area { return Area{canvas: c, w: c.width, h: c.height} }

// set writes one character of width w at a place that is known to be inside.
func (c *Canvas) set(x, y, w int, text string, look Look) {
	row := c.cells[y*c.width : (y+1)*c.width]
	c.clear(row, x)
	if w == 2 {
		c.clear(row, x+1)
		row[x+1] = cell{look: look}
	}
	row[x] = cell{text: text, look: look}
}

// clear blanks what is left of a wide character when one of its halves is about
// to be overwritten.
func (c *Canvas) clear(row []cell, x int) {
	if row[x].text == "" && x > 0 {
		row[x-1].text = " "
	}
	if x+1 < len(row) && row[x+1].text == "" {
		row[x+1].text = " "
	}
}

// String is the canvas as lines without trailing blanks. sgr gives the sequence
// that switches a look on; it is not called for the look 0, which is what the
// terminal shows by itself.
func (c *Canvas) String(sgr func(Look) string) string {
	var b strings.Builder
	b.Grow(2 * len(c.cells))
	for y := range c.height {
		if y > 0 {
			b.WriteByte('\n')
		}
		c.writeRow(&b, c.cells[y*c.width:(y+1)*c.width], sgr)
	}
	return b.String()
}

func (c *Canvas) writeRow(b *strings.Builder, row []cell, sgr func(Look) string) {
	end := len(row)
	for end > 0 && row[end-1].text == " " && row[end-1].look&(Reverse|Underline) == 0 {
		end--
	}
	on := ""
	for _, cell := range row[:end] {
		want := ""
		if cell.look != 0 {
			want = sgr(cell.look)
		}
		if want != on {
			if on != "" {
				b.WriteString(ansi.ResetStyle)
			}
			b.WriteString(want)
			on = want
		}
		b.WriteString(cell.text)
	}
	if on != "" {
		b.WriteString(ansi.ResetStyle)
	}
}
