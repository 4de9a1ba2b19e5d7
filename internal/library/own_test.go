package library

import (
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/lockstep-sim/lockstep/sim/script"
	"github.com/lockstep-sim/lockstep/tui"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const fine = `title My own
store redis
lock k
param ttl=300ms renew=off
variant del kind=redis/plain-delete expect violation only-owner-releases
variant script expect no-violation
client A: acquire; work 400ms; release
client B: at 350ms acquire ttl=5s; work 1s; release
expect A.release = not-held
`

func parse(t *testing.T, src string) *script.Scenario {
	t.Helper()
	sc, err := script.Parse("mine.scn", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	return sc
}

// TestOwnScenarioTellsHowItComesOut shows that nobody has to take for granted
// that a variant does what its line says.
func TestOwnScenarioTellsHowItComesOut(t *testing.T) {
	failing := strings.Replace(fine, "not-held", "ok when variant=script\nexpect A.release = not-held when variant=del", 1)
	unexpected := strings.Replace(fine, "expect no-violation", "kind=redis/plain-delete expect no-violation", 1)
	unreached := fine + "fault crash B before GET\n"
	single := strings.Replace(fine, "variant del kind=redis/plain-delete expect violation only-owner-releases\n", "", 1)
	for _, tt := range []struct {
		name, src string
		lang      tui.Lang
		question  string
		summary   string
	}{
		{"ok", fine, tui.English, "2 variants: ok", "Every variant does what the file expects of it."},
		{"ok", fine, tui.Chinese, "2 个变体：符合预期", "每个变体都符合文件中的预期。"},
		{"single", single, tui.English, "1 variant: ok", "Every variant does what the file expects of it."},
		{"failing", failing, tui.English, "2 variants: 1 not ok",
			"- Variant `script` does **not** meet what the file expects:\n  - line 9: expected `A.release = ok`, got `not-held`"},
		{"failing", failing, tui.Chinese, "2 个变体：1 个有问题",
			"- 变体 `script` **不**符合文件中的预期：\n  - 第 9 行：预期 `A.release = ok`，实际 `not-held`"},
		{"unexpected violation", unexpected, tui.English, "2 variants: 1 not ok",
			"- Variant `script` does **not** meet what the file expects:\n  - line 6: expected `no-violation`, got `violation only-owner-releases`"},
		{"fault that is not reached", unreached, tui.English, "2 variants: 2 not ok", "- Variant `del` cannot be run: `mine.scn:10:1: "},
	} {
		t.Run(tt.name+" "+string(tt.lang), func(t *testing.T) {
			got := New(parse(t, tt.src)).Chapters(tt.lang)[0].Lessons[0]
			if got.Question != tt.question || !strings.HasPrefix(got.Summary, tt.summary) {
				t.Errorf("got  %q\n%s\nwant %q\n%s", got.Question, got.Summary, tt.question, tt.summary)
			}
		})
	}
}

func TestTextOfAnOwnScenarioIsHowTheVariantComesOut(t *testing.T) {
	lib := New(parse(t, strings.Replace(fine, "not-held", "ok", 1)))
	rec, err := lib.Open(t.Context(), "mine.scn", "script")
	if err != nil {
		t.Fatal(err)
	}
	want := "- Variant `script` does **not** meet what the file expects:\n  - line 9: expected `A.release = ok`, got `not-held`"
	if got := rec.Texts[tui.English].Lesson; got != want {
		t.Errorf("got %s", got)
	}
}

// Nobody waits for the list until a scenario that goes on and on is through.
func TestOwnScenarioThatTakesTooLongIsToldAsThat(t *testing.T) {
	got := newOwn(parse(t, fine), 0).describe(tui.English)
	if got.Question != "2 variants: 2 not ok" || !strings.HasPrefix(got.Summary, "- Variant `del` takes too long to tell how it comes out;") {
		t.Errorf("got %q\n%s", got.Question, got.Summary)
	}
}
