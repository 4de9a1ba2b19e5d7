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
