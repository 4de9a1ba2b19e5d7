package cli

import (
	"slices"
	"strings"
	"testing"
)

func TestCompletion(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "mine.scn", mine)
	for _, tt := range []struct {
		args []string
		want []string // without descriptions
	}{
		{[]string{"le"}, []string{"lessons"}},
		{[]string{"help", ""}, []string{"completion", "demo", "glossary", "guide", "lessons", "play", "run", "verify", "version"}},
		{[]string{"help", "run", ""}, nil},
		{[]string{"run", "redis/02"}, []string{"redis/02-del-mis-delete"}},
		{[]string{"run", "mine"}, nil},
		{[]string{"run", "redis/02", ""}, nil},
		{[]string{"verify", "redis/02", "redis/03"}, []string{"redis/03-get-then-del"}},
		{[]string{"--plain", "redis/02"}, []string{"redis/02-del-mis-delete"}},
		{[]string{"run", "redis/02", "--variant", ""}, []string{"del", "compare-and-delete"}},
		{[]string{"play", "mine.scn", "--variant", ""}, []string{"del", "script"}},
		{[]string{"play", "--variant", ""}, nil},
		{[]string{"run", "mine.scn", "--set", ""}, []string{"ttl=", "renew=", "work="}},
		{[]string{"run", "mine.scn", "--set", "renew="}, []string{"renew=on", "renew=off"}},
		{[]string{"run", "mine.scn", "--set", "work="}, nil},
		{[]string{"run", "--set", ""}, nil},
		{[]string{"run", "--format", ""}, []string{"text", "json"}},
		{[]string{"lessons", "--lang", ""}, []string{"en", "zh"}},
		{[]string{"completion", ""}, []string{"bash", "zsh", "fish", "powershell"}},
		{[]string{"demo", ""}, []string{"consul", "etcd", "redis", "sqlite", "zk"}},
		{[]string{"demo", "redis", ""}, nil},
		{[]string{"demo", "--ttl", ""}, nil},
	} {
		got := lockstep(append([]string{"__complete"}, tt.args...)...)
		var words []string
		for line := range strings.Lines(got.stdout) {
			word, _, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
			if !strings.HasPrefix(word, ":") {
				words = append(words, word)
			}
		}
		if !slices.Equal(words, tt.want) {
			t.Errorf("%q completes to %q, want %q", tt.args, words, tt.want)
		}
	}
}

func TestCompletionScripts(t *testing.T) {
	for _, shell := range shells {
		got := lockstep("completion", shell)
		if got.status != statusOK || got.stderr != "" || !strings.Contains(got.stdout, "__complete") {
			t.Errorf("%s: status %d, stderr %q, %d bytes", shell, got.status, got.stderr, len(got.stdout))
		}
	}
}
