package markdown

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lockstep-sim/lockstep/tui/internal/cells"
)

// inline reads the marks inside a block. A mark without its counterpart stands
// for itself.
func (r *renderer) inline(s string, base cells.Look) cells.Line {
	in := inliner{style: r.style}
	in.read(s, base)
	return in.line
}

type inliner struct {
	style Style
	line  cells.Line
}

func (in *inliner) read(s string, look cells.Look) {
	plain := 0
	for i := 0; i < len(s); {
		n := in.mark(s, i, plain, look)
		if n == 0 {
			i++
			continue
		}
		i += n
		plain = i
	}
	in.add(s[plain:], look)
}

// mark handles the mark at s[i:], if there is one, together with the plain text
// before it, and returns its length.
func (in *inliner) mark(s string, i, plain int, look cells.Look) int {
	rest := s[i:]
	var inner string
	var length int
	var want cells.Look
	switch {
	case strings.HasPrefix(rest, "\\") && len(rest) > 1 && strings.ContainsRune("\\*`[]_#", rune(rest[1])):
		in.add(s[plain:i], look)
		in.add(rest[1:2], look)
		return 2
	case strings.HasPrefix(rest, "`"):
		inner, length = between(rest, "`")
		if length > 0 {
			in.add(s[plain:i], look)
			in.add(inner, look|in.style.Code)
		}
		return length
	case strings.HasPrefix(rest, "**"):
		inner, length = between(rest, "**")
		want = in.style.Strong
	case strings.HasPrefix(rest, "*") && opens(s, i):
		inner, length = between(rest, "*")
		want = in.style.Emphasis
	case strings.HasPrefix(rest, "["):
		inner, length = link(rest)
	}
	if length > 0 {
		in.add(s[plain:i], look)
		in.read(inner, look|want)
	}
	return length
}

func (in *inliner) add(text string, look cells.Look) {
	if text != "" {
		in.line = append(in.line, cells.Span{Text: text, Look: look})
	}
}

// between is the text between two marks, the first of which s begins with, and
// the length of all three.
func between(s, mark string) (string, int) {
	inner, _, ok := strings.Cut(s[len(mark):], mark)
	if !ok || inner == "" || inner[0] == ' ' || inner[len(inner)-1] == ' ' {
		return "", 0
	}
	return inner, len(inner) + 2*len(mark)
}

// opens reports whether the asterisk at s[i] can begin an emphasis: one between
// two letters or digits, as in 2*TTL, cannot.
func opens(s string, i int) bool {
	before, _ := utf8.DecodeLastRuneInString(s[:i])
	return i == 0 || before >= utf8.RuneSelf || !unicode.IsLetter(before) && !unicode.IsDigit(before)
}

// link reads [text](address) and gives the text, followed by the address if that
// says more.
func link(s string) (string, int) {
	text, rest, ok := strings.Cut(s[1:], "](")
	if !ok || strings.ContainsAny(text, "[]") {
		return "", 0
	}
	address, _, ok := strings.Cut(rest, ")")
	if !ok {
		return "", 0
	}
	length := len("[](") + len(text) + len(address) + len(")")
	if address == text || !strings.Contains(address, "://") {
		return text, length
	}
	return text + " <" + address + ">", length
}
