package markdown

import (
	"strings"

	"github.com/lockstep-sim/lockstep/tui/internal/cells"
)

// tableGap is the space between two columns.
const tableGap = 2

// widestWord bounds what a text without blanks, such as a Chinese one, asks of a
// column: it can be broken anywhere.
const widestWord = 8

// tableRows are the cells of a table, without the line below its head.
func tableRows(text string) [][]string {
	var rows [][]string
	for line := range strings.SplitSeq(text, "\n") {
		if strings.Trim(line, "|-: ") == "" {
			continue
		}
		var row []string
		for cell := range strings.SplitSeq(strings.Trim(line, "|"), "|") {
			row = append(row, strings.TrimSpace(cell))
		}
		rows = append(rows, row)
	}
	return rows
}

// table lays a table out as it is or, where it is too wide for that, with its
// columns as rows or, where that is too wide as well, as a list.
func (r *renderer) table(text string) {
	rows := tableRows(text)
	if len(rows) == 0 {
		return
	}
	for _, t := range [][][]string{rows, transposed(rows)} {
		if widths, ok := r.columns(t); ok {
			for i, row := range t {
				r.tableRow(row, widths, i == 0)
			}
			return
		}
	}
	r.tableList(rows)
}

func transposed(rows [][]string) [][]string {
	var out [][]string
	for j := range rows[0] {
		var row []string
		for i := range rows {
			row = append(row, cellAt(rows[i], j))
		}
		out = append(out, row)
	}
	return out
}

// cellAt is a cell, empty where a row is too short.
func cellAt(row []string, j int) string {
	if j < len(row) {
		return row[j]
	}
	return ""
}

// columns are the widths at which no word is broken; ok is false if there are none.
// What room is left goes to the columns that want it most.
func (r *renderer) columns(rows [][]string) (widths []int, ok bool) {
	left := r.width - tableGap*(len(rows[0])-1)
	wanted := make([]int, len(rows[0]))
	for j := range rows[0] {
		least := 1
		for _, row := range rows {
			text := r.inline(cellAt(row, j), 0)
			wanted[j] = max(wanted[j], text.Width())
			least = max(least, wordWidth(text.Text()))
		}
		widths = append(widths, least)
		left -= least
	}
	if left < 0 {
		return nil, false
	}
	for ; left > 0; left-- {
		most := 0
		for j := range widths {
			if wanted[j]-widths[j] > wanted[most]-widths[most] {
				most = j
			}
		}
		if widths[most] >= wanted[most] {
			break
		}
		widths[most]++
	}
	return widths, true
}

// wordWidth is the width of the longest word.
func wordWidth(text string) int {
	longest := 0
	for _, word := range strings.Fields(text) {
		w := cells.Width(word)
		if w > len([]rune(word)) {
			w = min(w, widestWord)
		}
		longest = max(longest, w)
	}
	return longest
}

// tableRow appends a row, over as many lines as its highest cell needs.
func (r *renderer) tableRow(row []string, widths []int, head bool) {
	look := cells.Look(0)
	if head {
		look = r.style.Strong
	}
	var columns [][]cells.Line
	height := 0
	for j, width := range widths {
		columns = append(columns, cells.Wrap(r.inline(cellAt(row, j), look), width))
		height = max(height, len(columns[j]))
	}
	for y := range height {
		var line cells.Line
		at := 0
		for j, column := range columns {
			if y < len(column) && len(column[y]) > 0 {
				line = append(line, cells.Span{Text: strings.Repeat(" ", max(at-line.Width(), 0))})
				line = append(line, column[y]...)
			}
			at += widths[j] + tableGap
		}
		r.lines = append(r.lines, line)
	}
}

// tableList appends a table as a list for each row, named by its first cell.
func (r *renderer) tableList(rows [][]string) {
	for i, row := range rows[1:] {
		if i > 0 {
			r.lines = append(r.lines, nil)
		}
		r.wrap(r.inline(row[0], r.style.Strong), "", "", 0)
		for j := 1; j < len(rows[0]); j++ {
			text := rows[0][j] + ": " + cellAt(row, j)
			r.item(block{kind: item, text: text})
		}
	}
}
