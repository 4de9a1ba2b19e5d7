package script

import (
	"bytes"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

var update = flag.Bool("update", false, "rewrite generated files and goldens")

// golden compares got with a file, or writes the file.
func golden(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s is out of date (-update rewrites it), -file +now:\n%s", path, diff)
	}
}

func TestFormatTidiesUp(t *testing.T) {
	src, err := os.ReadFile("testdata/untidy.scn")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "testdata/untidy.golden", Format(mustParse(t, string(src))))
}

// scenarioFiles finds the files of the language that the module has.
func scenarioFiles(t testing.TB) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	for _, root := range []string{".", "../../scenarios"} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || filepath.Ext(path) != ".scn" {
				return err
			}
			files[path], err = os.ReadFile(path)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return files
}

func TestFormatIsAFixedPoint(t *testing.T) {
	for path, src := range scenarioFiles(t) {
		t.Run(path, func(t *testing.T) {
			once := checkFormat(t, mustParse(t, string(src)))
			switch {
			case path == filepath.Join("testdata", "untidy.scn"), bytes.Equal(src, once):
			case *update:
				if err := Rewrite(path, once); err != nil {
					t.Error(err)
				}
			default:
				t.Errorf("%s is not formatted (-update formats it), -file +formatted:\n%s", path, cmp.Diff(string(src), string(once)))
			}
		})
	}
}

// checkFormat checks what Format promises for one scenario.
func checkFormat(t *testing.T, s *Scenario) []byte {
	t.Helper()
	once := Format(s)
	again, err := Parse(s.File, once)
	if err != nil {
		t.Fatalf("the formatted scenario does not parse: %v\n%s", err, once)
	}
	if diff := cmp.Diff(s, again, sameTree()); diff != "" {
		t.Errorf("formatting changed the scenario:\n%s", diff)
	}
	if twice := Format(again); !bytes.Equal(once, twice) {
		t.Errorf("formatting twice differs:\n%s", cmp.Diff(string(once), string(twice)))
	}
	return once
}

// A scenario that was put together by a program has no layout of its own.
func TestFormatWithoutAFile(t *testing.T) {
	s := mustParse(t, base+"fault crash A at 5s\nmark m at 5s\nmark last at end\nparam x=1 ttl=5s\nexpect A.token = $x\ntrace one\n----\n  x\n----\n")
	want := &Scenario{
		File: s.File, ID: s.ID, Title: s.Title, Stores: s.Stores, Locks: s.Locks, Params: s.Params,
		Resources: s.Resources, Variants: s.Variants, Clients: s.Clients, Faults: s.Faults,
		Marks: s.Marks, Expects: s.Expects, Goldens: s.Goldens,
	}
	got := string(checkFormat(t, want))
	if !strings.Contains(got, "\nparam w=1s n=3 who=B x=1 ttl=5s\n") {
		t.Errorf("the parameters are not on one line:\n%s", got)
	}
	if !strings.HasPrefix(got, "title A base for tests\nstore redis\nlock lock:1\n") || !strings.HasSuffix(got, "\n\ntrace one\n----\n  x\n----\n") {
		t.Errorf("not in the canonical order:\n%s", got)
	}
}

// However the white space of a file looks, its canonical form is the same.
func TestFormatDoesNotDependOnWhiteSpace(t *testing.T) {
	tidy := string(Format(mustParse(t, base)))
	space := rapid.StringOfN(rapid.SampledFrom([]rune(" \t")), 1, 3, -1)
	end := rapid.SampledFrom([]string{"", " ", "\t ", "\r", " \r"})
	rapid.Check(t, func(rt *rapid.T) {
		var b strings.Builder
		for l := range strings.Lines(tidy) {
			for i, word := range strings.Split(strings.TrimSuffix(l, "\n"), " ") {
				if i > 0 {
					b.WriteString(space.Draw(rt, "space"))
				}
				b.WriteString(word)
			}
			b.WriteString(end.Draw(rt, "end") + "\n")
		}
		if got := string(Format(mustParse(t, b.String()))); got != tidy {
			rt.Errorf("%q\nis formatted to:\n%s", b.String(), cmp.Diff(tidy, got))
		}
	})
}
