package lessons

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// block is a heading and the text below it.
type block struct {
	heading string // with its #; empty for text before the first heading
	text    string
	line    int // of the heading
}

// blocks cuts a text at its headings of the first two levels, except inside
// fenced code, where # starts a comment.
func blocks(src string) []block {
	out := []block{{line: 1}}
	var body []string
	end := func() { out[len(out)-1].text = strings.TrimSpace(strings.Join(body, "\n")) }
	fenced := false
	for i, l := range strings.Split(strings.ReplaceAll(src, "\r\n", "\n"), "\n") {
		if strings.HasPrefix(l, "```") {
			fenced = !fenced
		}
		if fenced || !strings.HasPrefix(l, "# ") && !strings.HasPrefix(l, "## ") {
			body = append(body, l)
			continue
		}
		end()
		out = append(out, block{heading: l, line: i + 1})
		body = nil
	}
	end()
	return out
}

// oneLine joins the lines of a paragraph. Chinese needs no blank between them.
func oneLine(text string) string {
	lines := strings.Split(text, "\n")
	out := lines[0]
	for _, l := range lines[1:] {
		if !endsWide(out) {
			out += " "
		}
		out += strings.TrimSpace(l)
	}
	return out
}

// endsWide reports whether a text ends in a character of Chinese writing, its
// punctuation included.
func endsWide(s string) bool {
	r, _ := utf8.DecodeLastRuneInString(s)
	return unicode.Is(unicode.Han, r) || r >= 0x3000 && r <= 0x303F || r >= 0xFF00 && r <= 0xFFEF
}
