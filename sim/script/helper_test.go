package script

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// base is a scenario that is complete, for tests about one more line.
const base = `title A base for tests
store redis
lock lock:1
param w=1s n=3 who=B
resource stock=$n min=0
variant one expect no-violation
variant two ttl=1s expect violation mutual-exclusion
client A: acquire; read stock; work $w; release
client B: try; try; release
client D when variant=two: crash
expect owner at end != $who
`

// mustParse parses a scenario that has no mistakes.
func mustParse(t *testing.T, src string) *Scenario {
	t.Helper()
	s, err := Parse("x.scn", []byte(src))
	if err != nil {
		t.Fatalf("unexpected mistakes:\n%v\nin:\n%s", err, src)
	}
	return s
}

// mistakes parses and returns the complaints without the name of the file.
func mistakes(t *testing.T, src string) []string {
	t.Helper()
	s, err := Parse("x.scn", []byte(src))
	if err == nil {
		return nil
	}
	if s != nil {
		t.Error("Parse returned a scenario beside its error")
	}
	errs, ok := err.(Errors)
	if !ok {
		t.Fatalf("Parse returned a %T, not Errors", err)
	}
	var out []string
	for _, e := range errs {
		line, ok := strings.CutPrefix(e.Error(), "x.scn:")
		if !ok {
			t.Errorf("message %q does not begin with the name of the file", e.Error())
		}
		out = append(out, line)
	}
	return out
}

// sameTree compares what scenarios say, not where it stands in the file.
func sameTree() cmp.Options {
	return cmp.Options{
		cmpopts.IgnoreTypes(Pos{}),
		cmpopts.IgnoreUnexported(Scenario{}),
		cmpopts.EquateEmpty(),
	}
}

func val(s string) *Value { return &Value{Text: s} }

func word(s string) Word { return Word{Text: s} }

func set(name, value string) Setting {
	return Setting{Name: word(name), Value: *val(value)}
}
