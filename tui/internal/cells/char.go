package cells

import "github.com/charmbracelet/x/ansi"

// next is the first character of s and the number of cells it takes: 0, 1 or 2.
// Plain ASCII is by far the most frequent and needs no tables.
func next(s string) (string, int) {
	text, w := s[:1], 1
	if s[0] >= 0x80 || len(s) > 1 && s[1] >= 0x80 {
		text, w = ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
	}
	if control(text) {
		return text, 1
	}
	return text, min(w, 2)
}

// control reports whether text is a C0 or C1 control character or no UTF-8. Such
// a character is drawn as a question mark, so that no text can steer the
// terminal.
func control(text string) bool {
	if len(text) == 1 {
		return text[0] < 0x20 || text[0] >= 0x7f
	}
	return text[0] == 0xc2 && text[1] < 0xa0
}
