package cli

import (
	"strings"
	"testing"
)

func TestGlossaryAndGuideInBothLanguages(t *testing.T) {
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"glossary", "--lang", "en"}, "## Fencing token\n"},
		{[]string{"glossary", "--lang", "zh"}, "## 栅栏令牌（fencing token）\n"},
		{[]string{"glossary", "fencing-token", "--lang", "en"}, "## Fencing token\n\nA number that grows"},
		{[]string{"glossary", "Herd effect", "--lang", "en"}, "## Herd effect\n"},
		{[]string{"glossary", "惊群", "--lang", "zh"}, "## 惊群\n"},
		{[]string{"guide", "--lang", "en"}, "- Some work is done twice, nothing is wrong afterwards → An efficient lock is enough\n"},
		{[]string{"guide", "--lang", "zh"}, "## 如果做了两次会怎样？\n"},
	} {
		got := lockstep(tt.args...)
		if got.status != statusOK || got.stderr != "" {
			t.Errorf("%q: status %d, stderr %q", tt.args, got.status, got.stderr)
		}
		if !strings.Contains(got.stdout, tt.want) {
			t.Errorf("%q: no %q in\n%.300s", tt.args, tt.want, got.stdout)
		}
	}
}

func TestUnknownTermsGetASuggestion(t *testing.T) {
	got := lockstep("glossary", "fencing-tokn", "--lang", "en")
	if got.status != statusUsage || got.stderr != "lockstep: no term \"fencing-tokn\" in the glossary: did you mean \"fencing-token\"?\n" {
		t.Errorf("status %d, stderr %q", got.status, got.stderr)
	}
}
