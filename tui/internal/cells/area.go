package cells

// Area is a rectangle of a canvas with coordinates of its own. What is drawn
// outside of it is clipped. The zero value has no cells.
type Area struct {
	canvas     *Canvas
	x, y, w, h int
}

// Width is the number of columns.
func (a Area) Width() int { return a.w }

// Height is the number of rows.
func (a Area) Height() int { return a.h }

// Sub is the part of a that begins at x, y and has at most the given size.
func (a Area) Sub(x, y, w, h int) Area {
	left, top := clamp(x, 0, a.w), clamp(y, 0, a.h)
	right, bottom := clamp(x+w, left, a.w), clamp(y+h, top, a.h)
	return Area{canvas: a.canvas, x: a.x + left, y: a.y + top, w: right - left, h: bottom - top}
}

// Row is row y of a.
func (a Area) Row(y int) Area { return a.Sub(0, y, a.w, 1) }

// Put writes s at x, y and returns the column behind it. A wide character that
// lies on an edge of the area is left out; control characters become "?", so
// that no text can steer the terminal.
func (a Area) Put(x, y int, s string, look Look) int {
	for s != "" {
		text, w := next(s)
		s = s[len(text):]
		if control(text) {
			text = "?"
		}
		if w > 0 {
			a.set(x, y, w, text, look)
			x += w
		}
	}
	return x
}

// PutLine writes a line at x, y and returns the column behind it.
func (a Area) PutLine(x, y int, l Line) int {
	for _, s := range l {
		x = a.Put(x, y, s.Text, s.Look)
	}
	return x
}

// Fill writes the one-cell text s into n cells from x, y on.
func (a Area) Fill(x, y, n int, s string, look Look) {
	for i := range n {
		a.set(x+i, y, 1, s, look)
	}
}

// Restyle changes the look of every cell.
func (a Area) Restyle(change func(Look) Look) {
	for y := range a.h {
		from := (a.y+y)*a.canvas.width + a.x
		row := a.canvas.cells[from : from+a.w]
		for i := range row {
			row[i].look = change(row[i].look)
		}
	}
}

// Clear blanks the area.
func (a Area) Clear() {
	for y := range a.h {
		a.Fill(0, y, a.w, " ", 0)
	}
}

func (a Area) set(x, y, w int, text string, look Look) {
	if y < 0 || y >= a.h || x < 0 || x+w > a.w || w > 2 {
		return
	}
	if a.canvas.replace != nil && text[0] >= 0x80 {
		text = a.canvas.replace(text)
	}
	a.canvas.set(a.x+x, a.y+y, w, text, look)
}

func clamp(v, low, high int) int { return max(low, min(v, high)) }
