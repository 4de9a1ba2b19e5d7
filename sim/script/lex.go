package script

import (
	"fmt"
	"strings"
)

// token is a word or a punctuation mark of a directive.
type token struct {
	text  string
	pos   Pos
	punct bool
}

// splitComment cuts a line at the "#" that starts a comment: one at the start
// of the line or behind white space. The "#" of SET#2 starts none.
func splitComment(text string) (code, comment string) {
	for i := range len(text) {
		if text[i] == '#' && (i == 0 || isSpace(text[i-1])) {
			return text[:i], strings.TrimRight(text[i:], " \t")
		}
	}
	return text, ""
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' }

// lex cuts text, which starts at pos, into tokens. Marks are = != < <= > >= , ;
// and a colon before white space or at the end, so that words can have colons
// within.
func lex(text string, pos Pos) []token {
	var out []token
	for i := 0; i < len(text); {
		if isSpace(text[i]) {
			i++
			continue
		}
		n := markLen(text[i:])
		punct := n > 0
		for !punct && i+n < len(text) && !isSpace(text[i+n]) && markLen(text[i+n:]) == 0 {
			n++
		}
		out = append(out, token{text: text[i : i+n], pos: pos.shift(i), punct: punct})
		i += n
	}
	return out
}

// markLen is the length of the punctuation mark that s begins with, or 0.
func markLen(s string) int {
	switch s[0] {
	case '=', ',', ';':
		return 1
	case '<', '>':
		if strings.HasPrefix(s[1:], "=") {
			return 2
		}
		return 1
	case '!':
		if strings.HasPrefix(s[1:], "=") {
			return 2
		}
	case ':':
		if len(s) == 1 || isSpace(s[1]) {
			return 1
		}
	}
	return 0
}

// checkWidth reports characters that look like the ASCII ones but are not: the
// full-width forms that a Chinese keyboard gives, and the spaces of web pages.
func (p *parser) checkWidth(text string, pos Pos) {
	for i, r := range text {
		if ascii, wide := narrowed(r); wide {
			p.fail(pos.shift(i), "%q (%U) is not ASCII: write %q", r, r, ascii)
		}
	}
}

func narrowed(r rune) (ascii rune, wide bool) {
	switch {
	case r == '\u3000' || r == '\u00a0':
		return ' ', true
	case '\uff01' <= r && r <= '\uff5e':
		return r - 0xfee0, true
	}
	return r, false
}

// describe names what stands at a place where something else was expected.
func (t token) describe() string {
	if t.text == "" {
		return "nothing"
	}
	return fmt.Sprintf("%q", t.text)
}
