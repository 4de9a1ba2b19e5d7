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
	c.lines = s.sourceLines(file, src.Line, width, height)
	c.top = src.Line - 1 - height/2
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

// sourceLines are the lines of a file, the executing one marked. The indent that
// all lines share which a pane of the height shows is left out.
func (s *scene) sourceLines(file sourceFile, executing, width, height int) []cells.Line {
	indent := file.indent(executing, height/2)
	lines := make([]cells.Line, len(file.lines))
	for i, text := range file.lines {
		text = strings.TrimPrefix(text, indent)
		l := cells.Line{{Text: "  "}, {Text: s.fit(text, width-2)}}
		switch {
		case i+1 == executing:
			l[0] = cells.Span{Text: s.sign.executing + " ", Look: accent | cells.Bold}
			l[1].Look = cells.Bold | accent
		case file.comment(text):
			l[1].Look = dim
		}
		lines[i] = l
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
