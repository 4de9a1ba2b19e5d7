package tui

import (
	"regexp"
	"slices"
	"testing"
)

var verb = regexp.MustCompile(`%[a-z]`)

func TestEveryTextIsThereInBothLanguages(t *testing.T) {
	for id := textID(1); id < numTexts; id++ {
		en, zh := id.in(English), id.in(Chinese)
		if en == "" || zh == "" {
			t.Errorf("text %d: English %q, Chinese %q", id, en, zh)
		}
		if a, b := verb.FindAllString(en, -1), verb.FindAllString(zh, -1); !slices.Equal(a, b) {
			t.Errorf("text %d takes %q in English and %q in Chinese", id, a, b)
		}
	}
}

func TestEveryGlyphTakesOneCell(t *testing.T) {
	for name, g := range map[string]*glyphs{"unicode": &unicodeGlyphs, "ascii": &asciiGlyphs} {
		for sign, s := range singles(g) {
			if w := width(s); w != 1 {
				t.Errorf("%s: %s is %q, %d cells", name, sign, s, w)
			}
		}
	}
	for char, s := range typography {
		if width(char) != width(s) {
			t.Errorf("%q is replaced by %q, which has another width", char, s)
		}
	}
}
