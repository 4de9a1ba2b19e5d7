package script

import (
	"slices"
	"strings"
	"testing"
)

// stage has everything that the examples of the tables refer to.
const stage = `title T
store redis
lock k
resource stock=1 min=0
variant first expect no-violation
client A: acquire; work 400ms; release
client B: try; acquire; release
expect owner at end = none
`

// exampleLines are the examples of the tables as lines of a file.
func exampleLines() []string {
	var out []string
	for _, e := range Verbs() {
		out = append(out, "client C: "+e.Example)
	}
	for _, e := range Faults() {
		out = append(out, "fault "+e.Example)
	}
	for _, e := range Subjects() {
		out = append(out, "expect "+e.Example)
	}
	return out
}

// What the reference shows as an example has to be right, and in its canonical
// form.
func TestExamplesOfTheTablesParse(t *testing.T) {
	for _, line := range exampleLines() {
		t.Run(line, func(t *testing.T) {
			src := stage + line + "\n"
			if got := string(Format(mustParse(t, src))); got != src {
				t.Errorf("formatted differently:\n%s", got)
			}
		})
	}
}

// The examples of the directives, put together, are a scenario.
func TestExamplesOfTheDirectivesParse(t *testing.T) {
	var src strings.Builder
	for _, d := range Directives() {
		if d.Name == "trace" {
			src.WriteByte('\n')
		}
		src.WriteString(d.Example + "\n")
	}
	src.WriteString(fence + "\n" + fence + "\n")
	if got := string(Format(mustParse(t, src.String()))); got != src.String() {
		t.Errorf("formatted differently:\n%s", got)
	}
}

// The reference is complete only if no cell of it is empty.
func TestTablesAreComplete(t *testing.T) {
	tables := map[string][]Entry{
		"directives": Directives(), "verbs": Verbs(), "faults": Faults(), "subjects": Subjects(),
	}
	for name, rows := range tables {
		for _, r := range rows {
			if r.Name == "" || r.Summary == "" || r.Example == "" {
				t.Errorf("%s: incomplete row %+v", name, r)
			}
			if strings.HasSuffix(r.Summary, ".") || strings.ContainsAny(r.Name+r.Args+r.Summary, "|\n") {
				t.Errorf("%s: %q does not fit in a table", name, r.Summary)
			}
		}
	}
}

// The parser picks a form of a fault word by word, so none may begin as another
// one ends.
func TestNoFormOfAFaultContinuesAnother(t *testing.T) {
	for _, a := range faultForms {
		for _, b := range faultForms {
			if a != b && strings.HasPrefix(b.pattern+" ", a.pattern+" ") {
				t.Errorf("%q continues %q", b.pattern, a.pattern)
			}
		}
		for _, w := range a.words() {
			if isSlot(w) && alternatives(w) == nil && slotHelp[w] == "" {
				t.Errorf("%q: no help for %s", a.pattern, w)
			}
		}
	}
}

func TestKindsAndDefaultsAreValid(t *testing.T) {
	for _, p := range Params() {
		if err := p.Check(p.Default); err != nil {
			t.Errorf("the default of %s: %v", p.Name, err)
		}
		if _, err := typeOf(p.Default); err != nil {
			t.Errorf("the default of %s could not be written in a file: %v", p.Name, err)
		}
	}
	for name, k := range Kinds {
		if !isWord(name) || k.Summary == "" {
			t.Errorf("kind %q: %q", name, k.Summary)
		}
		for _, s := range k.Stores {
			if !slices.Contains(storeNames(), s) {
				t.Errorf("kind %q lives in %q, which is no store", name, s)
			}
		}
	}
}
