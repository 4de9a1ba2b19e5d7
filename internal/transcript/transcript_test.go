package transcript_test

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/lockstep-sim/lockstep/internal/transcript"
	"github.com/lockstep-sim/lockstep/lessons"
	"github.com/lockstep-sim/lockstep/scenarios"
	"github.com/lockstep-sim/lockstep/sim/runner"
	"github.com/lockstep-sim/lockstep/sim/script"
	"github.com/lockstep-sim/lockstep/sim/trace"
)

var update = flag.Bool("update", false, "rewrite testdata")

const ms = 1_000_000

// everyKind is a run with an event of every kind, and every sort of change.
func everyKind() *trace.Trace {
	doing := "work 1s"
	events := []trace.Event{
		{Actor: "stock", Kind: trace.KindNote, Text: "stock is 1", Changes: []trace.KeyChange{{Store: "stock", Key: "stock", Value: "1"}}},
		{Actor: "A", Kind: trace.KindCall, Text: "work 1s", Doing: &doing},
		{Actor: "A", Kind: trace.KindSend, Text: "SET k A#1", Peer: "redis", Msg: 1, Source: trace.Source{File: "impl/x/y.go", Line: 7}},
		{At: ms, Actor: "redis", Kind: trace.KindExec, Text: "SET k A#1", Reply: "OK", Peer: "A", Msg: 1,
			Changes: []trace.KeyChange{{Store: "redis", Key: "k", Value: "A#1", Expires: 301 * ms}, {Store: "redis", Key: "n", Value: "1"}},
			Truths:  []trace.Truth{{Lock: "k", Owner: "A", Grant: "A#1"}}},
		{At: 2 * ms, Actor: "A", Kind: trace.KindReceive, Text: "SET k A#1", Reply: "OK", Peer: "redis", Msg: 1},
		{At: 2 * ms, Actor: "A", Kind: trace.KindReturn, Text: "acquire: granted as A#1, until 300ms",
			Beliefs: []trace.Belief{{Actor: "A", Lock: "k", Holds: true, Owner: "A#1", Until: 300 * ms}}},
		{At: 3 * ms, Actor: "redis", Kind: trace.KindPush, Text: "message on ch", Peer: "B", Msg: 2},
		{At: 4 * ms, Actor: "B", Kind: trace.KindReceive, Text: "message on ch", Peer: "redis", Msg: 2},
		{At: 5 * ms, Actor: "B", Kind: trace.KindSend, Text: "DEL k", Peer: "redis", Msg: 3},
		{At: 6 * ms, Actor: "B", Kind: trace.KindLost, Text: "the request is lost", Peer: "redis", Msg: 3},
		{At: 7 * ms, Actor: "A", Kind: trace.KindFault, Text: "is paused for 2s", State: trace.StatePaused},
		{At: 301 * ms, Actor: "redis", Kind: trace.KindExpire, Text: "k expires",
			Changes: []trace.KeyChange{{Store: "redis", Key: "k", Deleted: true}}, Truths: []trace.Truth{{Lock: "k"}}},
		{At: 2007 * ms, Actor: "A", Kind: trace.KindResume, Text: "resumes", State: trace.StateRunning},
		{At: 2007 * ms, Actor: "A", Kind: trace.KindBelief, Text: "its lease is over: lock lost",
			Beliefs: []trace.Belief{{Actor: "A", Lock: "k"}}},
		{At: 2008 * ms, Actor: "B", Kind: trace.KindReturn, Text: "acquire: granted as B#1",
			Beliefs:    []trace.Belief{{Actor: "B", Lock: "k", Holds: true, Owner: "B#1"}},
			Violations: []trace.Violation{{Invariant: "mutual-exclusion", Reason: "A and B believe that they hold k"}}},
		{At: 2009 * ms, Actor: "A", Kind: trace.KindReturn, Text: "release: not-held", Reply: "release k: lock not held"},
		{At: 700_000 * ms, Kind: trace.KindNote, Text: "a bound is over",
			Violations: []trace.Violation{{Invariant: "eventual-release", Reason: "k is still taken by B, which has been gone for 1m0s"}}},
	}
	for i := range events {
		events[i].Step = i + 1
	}
	marks := []trace.Mark{{Name: "granted", At: 2 * ms}, {Name: "untold", At: 3 * ms}, {Name: "expired", At: 300 * ms}, {Name: "again", At: 301 * ms}}
	return trace.New(trace.Header{Scenario: "x/01", Variant: "v", Lock: "k", Actors: []trace.Actor{
		{Name: "A", Role: trace.RoleClient}, {Name: "redis", Role: trace.RoleStore}, {Name: "B", Role: trace.RoleClient},
	}}, events, marks)
}

func result(expects ...runner.Outcome) *runner.Result {
	word := func(s string) script.Word { return script.Word{Text: s} }
	return &runner.Result{
		Scenario: &script.Scenario{ID: "x/01-every-kind", Title: "Every kind", Variants: []script.Variant{
			{Name: word("v"), Violates: []script.Word{word("mutual-exclusion"), word("eventual-release")}}, {Name: word("w")},
		}},
		Variant: "v", Trace: everyKind(), Expects: expects,
	}
}

var met = runner.Outcome{Line: 7, Text: "violation mutual-exclusion", Status: runner.Met, Got: "violation mutual-exclusion"}

const lessonText = `# %

Question?

## what
x
## why
x
## instead
x
## remember
- x
## source
x
## mark start
The beginning.
## mark granted
A has it.
## mark expired variant=v
Over, in two

paragraphs.
## mark expired
Never told.
## mark again
Once more.
`

func lesson(t *testing.T, title string, lang lessons.Lang) *lessons.Lesson {
	t.Helper()
	l, err := lessons.Parse("l.md", []byte(strings.Replace(lessonText, "%", title, 1)))
	if err != nil {
		t.Fatal(err)
	}
	l.Lang = lang
	return l
}

func TestTranscriptOfEveryKindOfEvent(t *testing.T) {
	for _, tt := range []struct {
		golden string
		opts   transcript.Options
	}{
		{"en.txt", transcript.Options{Lang: lessons.English}},
		{"zh.txt", transcript.Options{Lang: lessons.Chinese}},
		{"en-lesson.txt", transcript.Options{Lang: lessons.English, Lesson: lesson(t, "The lesson", lessons.English)}},
		{"zh-lesson.txt", transcript.Options{Lang: lessons.Chinese, Lesson: lesson(t, "这一课", lessons.Chinese)}},
	} {
		t.Run(tt.golden, func(t *testing.T) { compare(t, tt.golden, text(t, result(met), tt.opts)) })
	}
}

// compare compares with a file in testdata, or rewrites it.
func compare(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("the text differs from %s:\n%s", file, got)
	}
}

func text(t *testing.T, r *runner.Result, opts transcript.Options) string {
	t.Helper()
	var b strings.Builder
	if err := transcript.Write(&b, r, opts); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestEndSaysWhatCameOfTheExpectations(t *testing.T) {
	failed := runner.Outcome{Line: 9, Text: "A.release = ok", Status: runner.Failed, Got: "not-held"}
	other := runner.Outcome{Line: 11, Text: "B.acquire.at = 1s", Status: runner.NotApplicable, Got: "2s"}
	for _, tt := range []struct {
		name    string
		lang    lessons.Lang
		expects []runner.Outcome
		want    string
	}{
		{"met", lessons.English, []runner.Outcome{met}, "  line 7, ok: violation mutual-exclusion\n1 of 1 met.\n"},
		{"failed", lessons.English, []runner.Outcome{met, failed},
			"  line 9, FAILED: A.release = ok; got: not-held\n1 of 2 failed.\n"},
		{"not applicable", lessons.English, []runner.Outcome{met, other},
			"  line 11, not applicable to the changed parameters: B.acquire.at = 1s; got: 2s\n" +
				"1 of 2 are met; the others do not apply to the changed parameters.\n"},
		{"failed in Chinese", lessons.Chinese, []runner.Outcome{met, failed, other},
			"  第 9 行，不符合：A.release = ok；实际：not-held\n  第 11 行，不适用于改动后的参数：B.acquire.at = 1s；实际：2s\n2 条中有 1 条不符合。\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := text(t, result(tt.expects...), transcript.Options{Lang: tt.lang})
			if !strings.HasSuffix(got, tt.want) {
				t.Errorf("got the end\n%s\nwant\n%s", got[strings.LastIndex(got, "\n\n"):], tt.want)
			}
		})
	}
}

func TestHeadNamesChangedParameters(t *testing.T) {
	r := result(met)
	r.Variant, r.Changed = "w", []string{"ttl", "work"}
	got := text(t, r, transcript.Options{Lang: lessons.English})
	want := "x/01-every-kind: Every kind\nVariant w, which must break nothing\nChanged with --set: ttl, work\n\n"
	if !strings.HasPrefix(got, want) {
		t.Errorf("got the head\n%s\nwant\n%s", got[:len(want)], want)
	}
}

func TestLanguagesHaveTheSameWords(t *testing.T) {
	en := text(t, result(met), transcript.Options{Lang: lessons.English})
	zh := text(t, result(met), transcript.Options{Lang: lessons.Chinese})
	if a, b := strings.Count(en, "\n"), strings.Count(zh, "\n"); a != b {
		t.Errorf("%d lines in English, %d in Chinese", a, b)
	}
	if strings.Contains(en+zh, "%!") {
		t.Error("a format has the wrong arguments")
	}
}

// TestScenariosAreToldInFull looks for every step and violation of real runs.
func TestScenariosAreToldInFull(t *testing.T) {
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
			for _, lang := range lessons.Langs {
				checkComplete(t, r, text(t, r, transcript.Options{Lang: lang}))
			}
		}
	}
}

func checkComplete(t *testing.T, r *runner.Result, got string) {
	t.Helper()
	at := 0
	for i := 1; i <= r.Trace.Len(); i++ {
		e := r.Trace.Event(i)
		start := strings.Index(got[at:], "  "+trace.Instant(e.At)+" ")
		if start < 0 {
			t.Fatalf("%s, %s: step %d is missing", r.Scenario.ID, r.Variant, i)
		}
		at += start + 1
		for _, v := range e.Violations {
			if !strings.Contains(got[at:], v.Invariant) {
				t.Errorf("%s, %s: the violation of %s is missing", r.Scenario.ID, r.Variant, v.Invariant)
			}
		}
	}
	control := func(c rune) bool { return c != '\n' && unicode.IsControl(c) }
	if strings.ContainsFunc(got, control) || strings.Contains(got, "%!") {
		t.Errorf("%s, %s: control characters or broken formats", r.Scenario.ID, r.Variant)
	}
}

type closedPipe struct{}

var errClosed = errors.New("closed pipe")

func (closedPipe) Write([]byte) (int, error) { return 0, errClosed }

func TestErrorOfTheWriterIsReturned(t *testing.T) {
	if err := transcript.Write(closedPipe{}, result(met), transcript.Options{Lang: lessons.English}); !errors.Is(err, errClosed) {
		t.Errorf("got %v", err)
	}
}
