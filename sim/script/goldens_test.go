package script

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWithGoldens(t *testing.T) {
	const both = "\n# about one\ntrace one\n----\nold one\n----\n\n# about two\ntrace two  # kept\n----\nold two\n----\n\n# the end\n"
	for _, tt := range []struct {
		name, file string
		traces     map[string][]string
		want       string
	}{
		{"added", "", map[string][]string{"two": {"b"}, "one": {"a", "", "c"}},
			"\ntrace one\n----\na\n\nc\n----\n\ntrace two\n----\nb\n----\n"},
		{"replaced", both, map[string][]string{"two": {"new two"}},
			strings.Replace(both, "old two", "new two", 1)},
		{"replaced by nothing", both, map[string][]string{"one": nil},
			strings.Replace(both, "old one\n", "", 1)},
		{"added before another", "trace two\n----\nold two\n----\n", map[string][]string{"one": {"a"}},
			"\ntrace one\n----\na\n----\n\ntrace two\n----\nold two\n----\n"},
		{"added after another", "trace one\n----\nold one\n----\n# the end\n", map[string][]string{"two": {"b"}},
			"\ntrace one\n----\nold one\n----\n\ntrace two\n----\nb\n----\n\n# the end\n"},
		{"nothing to do", both, nil, both},
		{"the same again", both, map[string][]string{"one": {"old one"}, "two": {"old two"}}, both},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := mustParse(t, base+tt.file)
			before := string(Format(s))
			got, err := s.WithGoldens(tt.traces)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(base+tt.want, string(got)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			for _, g := range mustParse(t, string(got)).Goldens {
				if lines, ok := tt.traces[g.Variant.Text]; ok && !cmp.Equal(lines, g.Lines, sameTree()) {
					t.Errorf("trace of %s reads %q, written %q", g.Variant.Text, g.Lines, lines)
				}
			}
			if after := string(Format(s)); after != before {
				t.Errorf("the scenario itself has changed:\n%s", cmp.Diff(before, after))
			}
		})
	}
}

func TestTracesThatAFileCannotHold(t *testing.T) {
	s := mustParse(t, base)
	for _, tt := range []struct {
		variant, line, want string
	}{
		{"oen", "a", `unknown variant "oen": did you mean "one"?`},
		{"one", "----", `trace of variant "one": line 1: "----" would end the trace`},
		{"one", "---- ", `trace of variant "one": line 1: "---- " would end the trace`},
		{"one", "a\nb", `trace of variant "one": line 1: control character U+000A`},
		{"one", "\xff", `trace of variant "one": line 1: invalid UTF-8`},
	} {
		if _, err := s.WithGoldens(map[string][]string{tt.variant: {tt.line}}); err == nil || err.Error() != tt.want {
			t.Errorf("%q: %v, want %s", tt.line, err, tt.want)
		}
	}
}
