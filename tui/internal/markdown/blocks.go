package markdown

import (
	"strings"

	"github.com/lockstep-sim/lockstep/tui/internal/cells"
)

// kind is the kind of a block.
type kind int

const (
	none kind = iota
	paragraph
	heading
	item
	quote
	code
	table
)

// block is a piece of text that is laid out by itself.
type block struct {
	kind   kind
	text   string
	level  int    // of an item: how deep it is nested
	number string // of an item: "1." in a numbered list
}

// maxLevel bounds the nesting of lists, so that room is left for their text.
const maxLevel = 3

// parse splits src into blocks.
func parse(src string) []block {
	var p parser
	for line := range strings.SplitSeq(strings.ReplaceAll(src, "\r\n", "\n"), "\n") {
		p.line(strings.TrimRight(line, " \t"))
	}
	p.flush()
	return p.blocks
}

type parser struct {
	blocks []block
	open   block // the block being read, if its kind is not none
	fenced bool
}

func (p *parser) line(line string) {
	trimmed := strings.TrimLeft(line, " ")
	switch {
	case strings.HasPrefix(trimmed, "```"):
		p.flush()
		if p.fenced = !p.fenced; p.fenced {
			p.open = block{kind: code}
		}
	case p.fenced:
		p.code(line)
	case trimmed == "":
		p.flush()
	case strings.HasPrefix(line, "#"):
		p.flush()
		p.open = block{kind: heading, text: strings.TrimLeft(line, "# ")}
		p.flush()
	case strings.HasPrefix(line, "|"):
		p.row(line)
	case strings.HasPrefix(line, ">"):
		p.quote(strings.TrimLeft(line[1:], " "))
	default:
		p.text(line, trimmed)
	}
}

func (p *parser) code(line string) {
	if p.open.text != "" {
		p.open.text += "\n"
	}
	p.open.text += line
}

func (p *parser) row(line string) {
	if p.open.kind != table {
		p.flush()
		p.open = block{kind: table, text: line}
		return
	}
	p.open.text += "\n" + line
}

func (p *parser) quote(text string) {
	if p.open.kind != quote {
		p.flush()
		p.open = block{kind: quote, text: text}
		return
	}
	p.open.text = join(p.open.text, text)
}

func (p *parser) text(line, trimmed string) {
	if number, text, ok := listItem(trimmed); ok {
		p.flush()
		level := min((len(line)-len(trimmed))/2, maxLevel)
		p.open = block{kind: item, text: text, number: number, level: level}
		return
	}
	if p.open.kind == table {
		p.flush()
	}
	if p.open.kind == none {
		p.open.kind = paragraph
	}
	p.open.text = join(p.open.text, trimmed)
}

func (p *parser) flush() {
	if p.open.kind != none {
		p.blocks = append(p.blocks, p.open)
	}
	p.open = block{}
}

// listItem recognises "- text", "* text" and "1. text".
func listItem(s string) (number, text string, ok bool) {
	head, text, ok := strings.Cut(s, " ")
	if !ok {
		return "", "", false
	}
	if head == "-" || head == "*" {
		return "", text, true
	}
	digits := strings.TrimRight(head, ".")
	if len(digits) == 0 || len(digits) > 2 || digits+"." != head || strings.Trim(digits, "0123456789") != "" {
		return "", "", false
	}
	return head, text, true
}

// join puts two lines of one block together. Between Chinese characters a line
// break in the source stands for nothing, elsewhere for a blank.
func join(a, b string) string {
	if a == "" {
		return b
	}
	runes := []rune(a)
	if wide(runes[len(runes)-1]) && wide([]rune(b)[0]) {
		return a + b
	}
	return a + " " + b
}

func wide(r rune) bool { return cells.Width(string(r)) == 2 }
