package script

import (
	"strings"
	"testing"
)

// FuzzParse: no input makes the parser panic, every mistake has a place in the
// file, and what parses is formatted to a fixed point that means the same.
func FuzzParse(f *testing.F) {
	for _, src := range scenarioFiles(f) {
		f.Add(string(src))
	}
	f.Add(base)
	f.Add(mistaken)
	for _, line := range exampleLines() {
		f.Add(stage + line + "\n")
	}
	f.Fuzz(func(t *testing.T, src string) {
		s, err := Parse("x.scn", []byte(src))
		if err != nil {
			checkMistakes(t, src, err)
			return
		}
		checkFormat(t, s)
		if again, err := s.WithGoldens(nil); err != nil || string(again) != string(Format(s)) {
			t.Errorf("replacing no trace changes the file: %v\n%s", err, again)
		}
	})
}

func checkMistakes(t *testing.T, src string, err error) {
	t.Helper()
	lines := strings.Count(src, "\n") + 2
	before := firstPos
	for _, e := range err.(Errors) {
		if e.Pos.Line < 1 || e.Pos.Col < 1 || e.Pos.Line > lines || e.Pos.Col > len(src)+1 {
			t.Errorf("not a place in the file: %v", e)
		}
		if e.Pos.compare(before) < 0 {
			t.Errorf("out of order: %v", e)
		}
		if e.Msg == "" || strings.Contains(e.Msg, "\n") {
			t.Errorf("not one line: %q", e.Msg)
		}
		before = e.Pos
	}
}
