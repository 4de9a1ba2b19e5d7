package script

import (
	"slices"
	"strings"
)

// source is the text of one directive.
type source struct {
	name Word
	// rest is the first row behind the name, without its comment, and pos is
	// where it starts.
	rest string
	pos  Pos
	// rows are the tokens of every row; only clients can have more than one.
	rows     [][]token
	comments []string
	// body is what stands between the fences below a trace line.
	body []string
}

// tokens are those of all rows.
func (src source) tokens() []token { return slices.Concat(src.rows...) }

// cursor reads the tokens of all rows.
func (src source) cursor(p *parser) *cursor { return p.cursor(src.tokens(), src.pos) }

// layout tells which comments and, for a client, which steps stand on which row.
func (src source) layout(s *Scenario) []row {
	out := make([]row, len(src.comments))
	for i, c := range src.comments {
		out[i].comment = c
	}
	if src.name.Text == "client" {
		for _, st := range s.Clients[len(s.Clients)-1].Steps {
			out[st.Verb.Pos.Line-src.name.Pos.Line].steps++
		}
	}
	return out
}

// firstRow takes the next line of the input as the start of a directive.
func (p *parser) firstRow() source {
	code, comment, start := p.takeRow()
	n := strings.IndexAny(code, " \t")
	if n < 0 {
		n = len(code)
	}
	return source{
		name: Word{Text: code[:n], Pos: start},
		rest: code[n:], pos: start.shift(n),
		comments: []string{comment},
	}
}

// readRows cuts the first row into tokens and, if the directive can be
// continued, reads the rows that go on with it: after one that ends in ";" or
// ":", all rows that start with white space. Steps therefore never straddle
// rows.
func (p *parser) readRows(src *source, continued bool) {
	p.addRow(src, src.rest, src.pos)
	open := continued && src.open()
	for open && p.n < len(p.input) && p.indented() {
		code, comment, pos := p.takeRow()
		p.addRow(src, code, pos)
		src.comments = append(src.comments, comment)
		open = src.open()
	}
}

// takeRow takes the next line of the input apart.
func (p *parser) takeRow() (code, comment string, pos Pos) {
	code, comment = splitComment(p.input[p.n])
	p.n++
	pos = Pos{Line: p.n, Col: 1}
	if len(code) > MaxLine {
		p.fail(pos.shift(MaxLine), "the line is longer than 1,000 bytes")
		code = code[:MaxLine]
	}
	return code, comment, pos
}

func (p *parser) addRow(src *source, code string, pos Pos) {
	p.checkWidth(code, pos)
	src.rows = append(src.rows, lex(code, pos))
}

// open reports whether the last token asks for more.
func (src source) open() bool {
	for _, toks := range slices.Backward(src.rows) {
		if n := len(toks); n > 0 {
			last := toks[n-1]
			return last.punct && (last.text == ";" || last.text == ":")
		}
	}
	return false
}

// indented reports whether the next line starts with white space and is not
// blank.
func (p *parser) indented() bool {
	text := p.input[p.n]
	return text != "" && isSpace(text[0]) && strings.Trim(text, " \t") != ""
}

// skipIndented passes over the rows that belong to a directive that was not
// understood.
func (p *parser) skipIndented() {
	for p.n < len(p.input) && p.indented() {
		p.n++
	}
}
