package tui

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden screens in testdata")

// screens are the situations whose screens are compared, at every size and in
// both languages.
var screens = []struct {
	name   string
	lesson string
	keys   []string
}{
	{"list", "", nil},
	{"beginning", misDeleteID, nil},
	{"flying", misDeleteID, []string{"2", "l"}},
	{"violated", misDeleteID, []string{"2", "2", "l"}},
	{"fixed", misDeleteID, []string{"2", "2", "l", "v"}},
	{"end", misDeleteID, []string{"G"}},
	{"invariants", misDeleteID, []string{"G", "tab", "tab", "tab", "z"}},
	{"code", misDeleteID, []string{"2", "1", "l", "shift+tab", "shift+tab"}},
	{"text", misDeleteID, []string{"t"}},
	{"help", misDeleteID, []string{"?"}},
	{"guide", "", []string{"W", "down"}},
	{"glossary", misDeleteID, []string{"K"}},
	{"search", misDeleteID, []string{"/", "d", "e", "l"}},
	{"pause", "redis/15-long-pause", []string{"8", "l"}},
	{"crowd", "why/02-granularity", []string{"9", "0", "l"}},
	{"counters", "why/02-granularity", []string{"9", "0", "l", "shift+tab"}},
	{"error", "redis/09-failover", nil},
}

func TestScreensAreAsRecorded(t *testing.T) {
	for _, size := range [][2]int{{40, 12}, {80, 24}, {120, 40}} {
		for _, lang := range []Lang{English, Chinese} {
			for _, s := range screens {
				name := fmt.Sprintf("%s-%dx%d-%s", s.name, size[0], size[1], lang)
				t.Run(name, func(t *testing.T) {
					a := start(t, size[0], size[1], Options{Lang: lang, Lesson: s.lesson})
					press(a, s.keys...)
					compare(t, name, seen(a))
				})
			}
		}
	}
}

func TestASCIIScreensAreAsRecorded(t *testing.T) {
	for _, s := range []string{"violated", "pause", "help"} {
		for _, screen := range screens {
			if screen.name == s {
				t.Run(s, func(t *testing.T) {
					a := start(t, 80, 24, Options{ASCII: true, Lesson: screen.lesson})
					press(a, screen.keys...)
					compare(t, s+"-ascii", seen(a))
				})
			}
		}
	}
}

func compare(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.WriteFile(path, []byte(got+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (record it with -update)", err)
	}
	if got+"\n" != string(want) {
		t.Errorf("the screen has changed; if it should have, run go test -update\ngot:\n%s\nwant:\n%s", got, want)
	}
}
