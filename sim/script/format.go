package script

import (
	"bytes"
)

// indent starts the rows with which a client goes on.
const indent = "    "

// Format writes the scenario in its canonical form: single spaces, indented
// continuation rows, no blank line twice. The order of the lines, the comments
// and the places where the author broke a long client stay as they are. Parsing
// the result gives an equal scenario, and formatting that changes nothing.
//
// A scenario without a file is written in the order of the language reference;
// what it contains must be valid.
func Format(s *Scenario) []byte {
	var f formatter
	above := directiveLine
	for _, l := range s.layout() {
		switch {
		case l.kind == blankLine:
			f.blank = true
		case l.kind == commentLine:
			f.write(l.rows[0].comment)
		default:
			f.blank = f.blank || isTrace(l) && above != commentLine
			f.directive(s, l)
		}
		above = l.kind
	}
	return f.out.Bytes()
}

type formatter struct {
	out   bytes.Buffer
	blank bool // a blank line comes before the next text
}

// write writes a line, and before it the blank one that is due. There is none
// at the start or at the end of a file.
func (f *formatter) write(text string) {
	if f.blank && f.out.Len() > 0 {
		f.out.WriteByte('\n')
	}
	f.blank = false
	f.out.WriteString(text)
	f.out.WriteByte('\n')
}

func (f *formatter) directive(s *Scenario, l line) {
	d, _ := findDirective(l.directive)
	for i, text := range d.print(s, l) {
		switch {
		case i == 0:
			text = d.Name + " " + text
		case text != "":
			text = indent + text
		}
		f.write(withComment(text, l.rows[i].comment))
	}
	if d.Name == "trace" {
		f.body(s.Goldens[l.from].Lines)
	}
}

func withComment(text, comment string) string {
	switch {
	case comment == "":
		return text
	case text == "":
		return indent + comment
	}
	return text + "  " + comment
}

// body writes a trace as it is, and keeps it apart from what follows.
func (f *formatter) body(lines []string) {
	f.write(fence)
	for _, l := range lines {
		f.write(l)
	}
	f.write(fence)
	f.blank = true
}

// isTrace tells the traces from the lines before them.
func isTrace(l line) bool { return l.kind == directiveLine && l.directive == "trace" }
