package rowstore

import (
	"fmt"
	"regexp"
	"strings"
)

// tokens are words and numbers, literals in single quotes (a quote within one is
// doubled), placeholders, and signs.
var tokens = regexp.MustCompile(`'(?:[^']|'')*'|\$\d+|[@A-Za-z_][@A-Za-z0-9_.]*|\d+|<=|>=|<>|!=|[-+*=<>(),?;]`)

// parser reads one statement.
type parser struct {
	list []string
	next int
	args []any
	seen int // how many ? have been met
}

// syntaxError unwinds the parser.
type syntaxError string

func (p *parser) errorf(format string, args ...any) {
	panic(syntaxError(fmt.Sprintf(format, args...)))
}

// peek is the next token, words in upper case; it is empty at the end.
func (p *parser) peek() string {
	if p.next == len(p.list) {
		return ""
	}
	return strings.ToUpper(p.list[p.next])
}

// take reads the given words if all of them come next.
func (p *parser) take(words ...string) bool {
	if p.next+len(words) > len(p.list) {
		return false
	}
	for i, w := range words {
		if strings.ToUpper(p.list[p.next+i]) != w {
			return false
		}
	}
	p.next += len(words)
	return true
}

// need reads words that must come next.
func (p *parser) need(words ...string) {
	if !p.take(words...) {
		p.errorf("%s expected before %q", strings.Join(words, " "), p.peek())
	}
}

// word reads any token as it is written.
func (p *parser) word() string {
	if p.next == len(p.list) {
		p.errorf("unexpected end of the statement")
	}
	p.next++
	return p.list[p.next-1]
}

// each reads items with commas between them.
func (p *parser) each(item func()) {
	for item(); p.take(","); {
		item()
	}
}

// names reads names in brackets.
func (p *parser) names() (out []string) {
	p.need("(")
	p.each(func() { out = append(out, p.word()) })
	p.need(")")
	return out
}
