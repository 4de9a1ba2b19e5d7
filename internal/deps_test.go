package internal_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/lockstep-sim/lockstep/"

// allowed says what the packages of a folder may import of this project. The
// longest folder that matches counts. Test files are free.
var allowed = map[string][]string{
	"impl": {"impl"},
	// For the words that a misspelt scheme or parameter may have been.
	"impl/lock": {"impl", "internal/suggest"},
	// Helpers of tests that are no test files themselves.
	"impl/internal/sqltest": {"impl", "internal/realserver"},
	"impl/clock":            {},
	"sim/trace":             {},
	"sim/check":             {"sim/trace"},
	"sim/kernel":            {"impl/clock"},
	"sim/network":           {"sim/kernel", "sim/record", "sim/trace"},
	"sim/record":            {"sim/kernel", "sim/check", "sim/trace", "impl/lock"},
	"sim/store":             {"sim", "impl"},
	"sim/script":            {"sim/check", "internal/suggest"},
	"sim/runner":            {"sim", "impl", "internal/suggest"},
	"scenarios":             {"sim", "internal/suggest"},
	"lessons":               {"scenarios", "sim", "impl", "tui", "internal/suggest"},
	"tui":                   {"sim/trace", "tui"},
	"internal":              {"internal", "lessons", "scenarios", "sim", "tui", "impl"},
	"internal/realserver":   {},
	"internal/suggest":      {},
}

// TestDependenciesPointOneWay reads the imports of every package.
func TestDependenciesPointOneWay(t *testing.T) {
	root := os.DirFS("..")
	checked := 0
	err := fs.WalkDir(root, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && (strings.HasPrefix(d.Name(), ".") && p != "." || d.Name() == "testdata") {
			return fs.SkipDir
		}
		if !strings.HasSuffix(p, ".go") || strings.HasSuffix(p, "_test.go") || !strings.Contains(p, "/") {
			return nil
		}
		checked++
		return check(t, root, p)
	})
	if err != nil {
		t.Fatal(err)
	}
	if checked < 50 {
		t.Errorf("only %d files were read: is the test in the right place?", checked)
	}
}

func check(t *testing.T, root fs.FS, file string) error {
	src, err := fs.ReadFile(root, file)
	if err != nil {
		return err
	}
	tree, err := parser.ParseFile(token.NewFileSet(), file, src, parser.ImportsOnly)
	if err != nil {
		return err
	}
	folder, rule := ruleFor(path.Dir(file))
	for _, imp := range tree.Imports {
		name, err := strconv.Unquote(imp.Path.Value)
		if err != nil {
			return err
		}
		if own, ok := strings.CutPrefix(name, module); ok && !within(own, rule) && !within(own, []string{path.Dir(file)}) {
			t.Errorf("%s imports %s: %s may import only %v", file, own, folder, rule)
		}
	}
	return nil
}

func ruleFor(dir string) (string, []string) {
	for d := dir; d != "."; d = path.Dir(d) {
		if rule, ok := allowed[d]; ok {
			return d, rule
		}
	}
	return dir, nil
}

func within(pkg string, folders []string) bool {
	for _, f := range folders {
		if pkg == f || strings.HasPrefix(pkg, f+"/") {
			return true
		}
	}
	return false
}
