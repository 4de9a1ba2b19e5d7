package tui

import (
	"fmt"
	"strings"

	"github.com/lockstep-sim/lockstep/tui/internal/cells"
)

// code is the source around the line that is executing, or that executed last if
// the step is one of the network or of a store's own.
func (s *scene) code(width, height int) content {
	c := content{title: s.tr(txtPaneCode)}
	step := int(s.line.source[s.step])
	if step == 0 {
		c.lines = []cells.Line{{{Text: s.fit(s.tr(txtNoCodeYet), width), Look: dim}}}
		return c
	}
	src := s.line.tr.Event(step).Source
	c.title = s.codeTitle(step, width-6)
	file := s.run.sources[src.File]
	if file.err != nil {
		c.lines = append(c.lines, cells.Wrap(cells.Line{{Text: file.err.Error(), Look: bad}}, width)...)
		return c
	}
	var more int
	c.lines, more = s.sourceLines(file, src.Line, width, height)
	c.top = src.Line - 1 - max(height-more, 0)/2
	return c
}

// codeTitle names the position of a step at a length that fits.
func (s *scene) codeTitle(step, width int) string {
	src := s.line.tr.Event(step).Source
	place := fmt.Sprintf("%s:%d", src.File, src.Line)
	base := place[strings.LastIndexByte(place, '/')+1:]
	titles := []string{s.tr(txtPaneCode) + " " + place, place, base}
	if step != s.step {
		for i, text := range titles {
			titles[i] = s.trf(txtSinceStep, text, step)
		}
		titles = append(titles, base)
	}
	return s.choose(width, titles...)
}

// sourceLines are the lines of a file, the executing one marked and over as many
// rows as it needs, more than one by more. The indent that all lines share which a
// pane of the height shows is left out.
func (s *scene) sourceLines(file sourceFile, executing, width, height int) (lines []cells.Line, more int) {
	indent := file.indent(executing, height/2)
	for i, text := range file.lines {
		text = strings.TrimPrefix(text, indent)
		if i+1 == executing {
			wrapped := s.executingLine(text, width)
			lines, more = append(lines, wrapped...), len(wrapped)-1
			continue
		}
		l := cells.Line{{Text: "  "}, {Text: s.fit(text, width-2)}}
		if file.comment(text) {
			l[1].Look = dim
		}
		lines = append(lines, l)
	}
	return lines, more
}

// executingLine is the line that the step is about: it is not cut, because its end
// is often the point.
func (s *scene) executingLine(text string, width int) []cells.Line {
	look := cells.Bold | accent
	code := strings.TrimLeft(text, " ")
	before := strings.Repeat(" ", len(text)-len(code))
	room := width - 2 - len(before)
	if cells.Width(code) > room {
		before, room = "", width-2
	}
	var lines []cells.Line
	for i, part := range cells.Wrap(cells.Line{{Text: code, Look: look}}, room) {
		first := cells.Span{Text: "  " + before}
		if i == 0 {
			first = cells.Span{Text: s.sign.executing + strings.Repeat(" ", 2-cells.Width(s.sign.executing)) + before, Look: look}
		}
		lines = append(lines, append(cells.Line{first}, part...))
	}
	return lines
}

// sourceFile is a file that steps of a run point to.
type sourceFile struct {
	lines []string // with blanks instead of tabs
	mark  string   // what begins a comment
	err   error
}

func newSourceFile(name, text string) sourceFile {
	mark := "//"
	if strings.HasSuffix(name, ".lua") || strings.HasSuffix(name, ".sql") {
		mark = "--"
	}
	text = strings.ReplaceAll(strings.TrimRight(text, "\n"), "\t", "  ")
	return sourceFile{lines: strings.Split(text, "\n"), mark: mark}
}

func (f *sourceFile) comment(line string) bool {
	return strings.HasPrefix(strings.TrimLeft(line, " "), f.mark)
}

// indent is the white space that the lines around a line have in common: as many
// before it, and one less behind.
func (f *sourceFile) indent(line, around int) string {
	indent, found := "", false
	for i := max(line-1-around, 0); i < min(line-1+max(around, 1), len(f.lines)); i++ {
		trimmed := strings.TrimLeft(f.lines[i], " ")
		if trimmed == "" {
			continue
		}
		own := f.lines[i][:len(f.lines[i])-len(trimmed)]
		if !found || len(own) < len(indent) {
			indent, found = own, true
		}
	}
	return indent
}
