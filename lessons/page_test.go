package lessons

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lockstep-sim/lockstep/scenarios"
)

var update = flag.Bool("update", false, "rewrite docs/lessons.md")

const pageFile = "../docs/lessons.md"

const pageHead = `# Lessons

<!-- Generated from the lessons. Do not edit; run
     go test ./lessons -run TestPageOfLessonsIsUpToDate -update -->

Every lesson is a scenario that runs real lock code, in the variants named here: ✗ marks those that are there to
break something. ` + "`go run . play ID`" + ` steps through one, ` + "`go run . run ID`" + ` prints it, ` + "`go run . --plain ID`" + ` is the text.
`

// page lists all lessons with their question and variants.
func page(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString(pageHead)
	for _, c := range Chapters() {
		fmt.Fprintf(&b, "\n## %s\n\n| id | question | variants |\n|---|---|---|\n", c.Title(English))
		for _, id := range c.Lessons() {
			l, err := Load(id, English)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&b, "| %s | %s | %s |\n", id, l.Question, variantList(t, id))
		}
	}
	return b.String()
}

func variantList(t *testing.T, id string) string {
	t.Helper()
	sc, err := scenarios.Load(id)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, v := range sc.Variants {
		name := v.Name.Text
		if len(v.Violates) > 0 {
			name = "✗ " + name
		}
		out = append(out, name)
	}
	return strings.Join(out, ", ")
}

func TestPageOfLessonsIsUpToDate(t *testing.T) {
	want := page(t)
	if *update {
		if err := os.WriteFile(pageFile, []byte(want), 0o644); err != nil { //nolint:gosec // a page of the docs
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(pageFile)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(got), want); diff != "" {
		t.Errorf("%s is out of date (-update rewrites it), -file +now:\n%s", pageFile, diff)
	}
}
