package impl_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The implementations run in virtual time as well as in real time. What that
// takes is checked here by syntax alone:
//
//  1. time comes from the injected clock.Clock;
//  2. code waits in a backend call or in a primitive of the clock, nowhere else;
//  3. no mutex is held across a backend call, which is a call that takes a
//     context.
//
// Test files are exempt, and so are packages that import testing.

// exempt are the folders below impl that the rules are not about: the clock is
// what the rules lead to, and the servers in embedded are never simulated.
var exempt = []string{"clock", "embedded"}

func TestImplKeepsItsRules(t *testing.T) {
	checked := 0
	for dir, files := range packages(t, ".") {
		if slices.Contains(exempt, strings.Split(dir, string(filepath.Separator))[0]) || isTestSupport(files) {
			continue
		}
		for _, f := range files {
			checked++
			for _, b := range check(f) {
				t.Error(b)
			}
		}
	}
	if checked < 10 {
		t.Fatalf("only %d files were checked", checked)
	}
}

// A line "// want WHAT" in testdata announces a breach in the next line of code.
func TestTheCheckerFindsEachBreach(t *testing.T) {
	f := parse(t, filepath.Join("testdata", "rules", "breaches.go"))
	want := announced(t, f.path)
	if len(want) < 20 {
		t.Fatalf("only %d breaches are announced", len(want))
	}
	var got []string
	for _, b := range check(f) {
		got = append(got, b.at()+" "+b.what)
		if b.why == "" || b.instead == "" {
			t.Errorf("%s: says neither why nor what to do instead", b)
		}
	}
	for _, w := range want {
		if !slices.Contains(got, w) {
			t.Errorf("not found: %s", w)
		}
	}
	for _, g := range got {
		if !slices.Contains(want, g) {
			t.Errorf("found, but not announced: %s", g)
		}
	}
}

func TestTheCheckerLetsGoodCodePass(t *testing.T) {
	for _, b := range check(parse(t, filepath.Join("testdata", "rules", "good.go"))) {
		t.Error(b)
	}
}

var wanted = regexp.MustCompile(`^\s*// want (.+)$`)

func announced(t *testing.T, path string) (want []string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var pending []string
	for i, line := range strings.Split(string(text), "\n") {
		if m := wanted.FindStringSubmatch(line); m != nil {
			pending = append(pending, m[1])
			continue
		}
		for _, what := range pending {
			want = append(want, path+":"+strconv.Itoa(i+1)+" "+what)
		}
		pending = nil
	}
	return want
}

// source is one parsed file.
type source struct {
	path   string
	fset   *token.FileSet
	syntax *ast.File
}

func parse(t *testing.T, path string) source {
	t.Helper()
	fset := token.NewFileSet()
	syntax, err := parser.ParseFile(fset, path, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return source{path: path, fset: fset, syntax: syntax}
}

// packages are the files below dir that are not tests, by folder.
func packages(t *testing.T, dir string) map[string][]source {
	t.Helper()
	found := make(map[string][]source)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == "testdata":
			return filepath.SkipDir
		case !d.IsDir() && strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go"):
			found[filepath.Dir(path)] = append(found[filepath.Dir(path)], parse(t, path))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func isTestSupport(files []source) bool {
	return slices.ContainsFunc(files, func(f source) bool { return importName(f.syntax, "testing") != "" })
}
