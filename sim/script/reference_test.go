package script

import (
	"strings"
	"testing"
)

func TestReferenceIsUpToDate(t *testing.T) {
	golden(t, "../../docs/scenario-language.md", Reference())
}

// Every word of the language is in the reference, where a reader looks for it.
func TestReferenceIsComplete(t *testing.T) {
	text := string(Reference())
	var words []string
	for _, rows := range [][]Entry{Directives(), Verbs(), Faults(), Subjects(), Invariants(), Outcomes()} {
		words = append(words, names(rows)...)
	}
	words = append(words, paramNames(Params())...)
	words = append(words, kindNames()...)
	words = append(words, storeNames()...)
	words = append(words, commands([]string{"redis"})...)
	for _, w := range words {
		if !strings.Contains(text, "`"+w) {
			t.Errorf("%q is not in the reference", w)
		}
	}
}

func TestMistakesInTheReferenceAreReported(t *testing.T) {
	if got := len(mistakes(t, mistaken)); got != 3 {
		t.Errorf("the file about three mistakes has %d", got)
	}
}
