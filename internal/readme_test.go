package internal_test

import (
	"os"
	"strings"
	"testing"
)

// TestTheSnippetOfTheREADMEIsAnExample keeps the README's code running: it is
// the body of an example that go test executes.
func TestTheSnippetOfTheREADMEIsAnExample(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	example, err := os.ReadFile("../impl/redislock/example_do_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(readme), "```go\n")
	snippet, _, closed := strings.Cut(rest, "```")
	if !found || !closed {
		t.Fatal("the README has no Go snippet")
	}
	indented := "\t" + strings.ReplaceAll(strings.TrimSpace(snippet), "\n", "\n\t")
	indented = strings.ReplaceAll(indented, "\n\t\n", "\n\n")
	if !strings.Contains(string(example), indented) {
		t.Errorf("not in impl/redislock/example_do_test.go:\n%s", indented)
	}
}
