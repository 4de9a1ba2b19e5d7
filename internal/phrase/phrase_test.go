package phrase_test

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/lockstep-sim/lockstep/internal/phrase"
	"github.com/lockstep-sim/lockstep/scenarios"
	"github.com/lockstep-sim/lockstep/sim/runner"
	"github.com/lockstep-sim/lockstep/sim/script"
	"github.com/lockstep-sim/lockstep/sim/trace"
)

func TestChinese(t *testing.T) {
	for _, tt := range []struct {
		text, want string
		ok         bool
	}{
		{"crashes", "崩溃", true},
		{"its lease is over: lock lost", "租约已结束：锁已丢失", true},
		{"acquire: granted as A#1, token 33, until 300ms", "acquire：已获得锁，身份 A#1，令牌 33，有效至 300ms", true},
		{"try: granted as A#1", "try：已获得锁，身份 A#1", true},
		{"A and B and C believe that they hold lock:k", "A 和 B 和 C 都认为自己持有 lock:k", true},
		{"A took lock:k away from B with DEL lock:k", "A 用 DEL lock:k 从 B 手中拿走了 lock:k", true},
		{"stock is -1, below 0", "stock 为 -1，低于下限 0", true},
		{"stock is 1", "stock 为 1", true},
		{"DEL lock:k", "DEL lock:k", false},
		{"crashes again", "crashes again", false},
		{"", "", false},
	} {
		if got, ok := phrase.Chinese(tt.text); got != tt.want || ok != tt.ok {
			t.Errorf("Chinese(%q) = %q, %v; want %q, %v", tt.text, got, ok, tt.want, tt.ok)
		}
	}
}

func TestOutcomesAreTranslated(t *testing.T) {
	for _, o := range script.Outcomes() {
		if o.Name == "skipped" || o.Name == "waiting" {
			continue // such a step does not end
		}
		if _, ok := phrase.Chinese("release: " + o.Name); !ok {
			t.Errorf("no Chinese for the outcome %q", o.Name)
		}
	}
}

// TestEverythingThatScenariosSayIsTranslated replays all scenarios.
func TestEverythingThatScenariosSayIsTranslated(t *testing.T) {
	for _, id := range scenarios.List() {
		sc, err := scenarios.Load(id)
		if err != nil {
			t.Fatal(err)
		}
		results, err := runner.RunAll(t.Context(), sc, runner.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range results {
			for i := 1; i <= r.Trace.Len(); i++ {
				checkEvent(t, id, r.Trace.Event(i))
			}
		}
	}
}

func checkEvent(t *testing.T, id string, e *trace.Event) {
	t.Helper()
	var texts []string
	for _, v := range e.Violations {
		texts = append(texts, v.Reason)
	}
	// Steps of the language and commands of stores are the same everywhere.
	pushed := e.Kind == trace.KindReceive && e.Reply == ""
	if pushed || !slices.Contains([]trace.Kind{trace.KindCall, trace.KindSend, trace.KindExec, trace.KindReceive}, e.Kind) {
		texts = append(texts, e.Text)
	}
	for _, text := range texts {
		out, ok := phrase.Chinese(text)
		if !ok || !strings.ContainsFunc(out, func(r rune) bool { return unicode.Is(unicode.Han, r) }) {
			t.Errorf("%s, step %d (%s): no Chinese for %q", id, e.Step, e.Kind, text)
		}
	}
}
