package scenarios_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/lockstep-sim/lockstep/impl"
	"github.com/lockstep-sim/lockstep/scenarios"
	"github.com/lockstep-sim/lockstep/sim/runner"
	"github.com/lockstep-sim/lockstep/sim/script"
	"github.com/lockstep-sim/lockstep/sim/trace"
)

var update = flag.Bool("update", false, "rewrite the recorded traces of the scenario files")

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The length of a scenario file, in lines without its recorded traces.
const (
	advisedLines = 120
	maxLines     = 160
)

// each runs a test for every embedded scenario, in parallel.
func each(t *testing.T, test func(*testing.T, *script.Scenario)) {
	t.Helper()
	for _, id := range scenarios.List() {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			sc, err := scenarios.Load(id)
			if err != nil {
				t.Fatal(err)
			}
			test(t, sc)
		})
	}
}

func path(sc *script.Scenario) string { return strings.TrimPrefix(sc.File, "scenarios/") }

func TestScenariosReplayAsTheyExpect(t *testing.T) {
	each(t, func(t *testing.T, sc *script.Scenario) {
		report, err := scenarios.Replay(t.Context(), sc)
		if err != nil {
			t.Fatal(err)
		}
		if *update {
			if _, err := report.Update(path(sc)); err != nil {
				t.Error(err)
			}
			if report.Expected() {
				return
			}
		}
		for _, f := range report.Failures {
			t.Errorf("%s: %v", sc.File, f)
		}
	})
}

func TestBrokenVariantsViolateAndFixedOnesDoNot(t *testing.T) {
	each(t, func(t *testing.T, sc *script.Scenario) {
		for i, r := range runAll(t, sc) {
			var broken []string
			for _, v := range r.Trace.Violations() {
				broken = append(broken, v.Invariant)
			}
			for _, w := range sc.Variants[i].Violates {
				if !slices.Contains(broken, w.Text) {
					t.Errorf("%s must break %s and breaks %q", r.Variant, w.Text, broken)
				}
			}
			if len(sc.Variants[i].Violates) == 0 && len(broken) > 0 {
				t.Errorf("%s must break nothing and breaks %q", r.Variant, broken)
			}
		}
	})
}

// TestMarksLieWithinTheRun: what is said at a mark is said of its instant.
func TestMarksLieWithinTheRun(t *testing.T) {
	each(t, func(t *testing.T, sc *script.Scenario) {
		for _, r := range runAll(t, sc) {
			for _, m := range r.Trace.Marks() {
				if r.Trace.Event(m.Step).At != m.At {
					t.Errorf("%s: %s, at %s, lies after the end of the run at %s", r.Variant, m.Name, trace.Instant(m.At), trace.Instant(r.Trace.Header().End))
				}
			}
		}
	})
}

func TestRunsAreDeterministic(t *testing.T) {
	each(t, func(t *testing.T, sc *script.Scenario) {
		first, second := runAll(t, sc), runAgain(t, sc)
		for i := range first {
			if a, b := encode(t, first[i].Trace), encode(t, second[i].Trace); !bytes.Equal(a, b) {
				t.Errorf("%s: two runs give different traces (%d and %d bytes)", first[i].Variant, len(a), len(b))
			}
		}
	})
}

// TestSendsComeFromImpl shows that what is on the screen is executed: every
// request to a store is sent by a line of impl/, which can be shown.
func TestSendsComeFromImpl(t *testing.T) {
	each(t, func(t *testing.T, sc *script.Scenario) {
		for _, r := range runAll(t, sc) {
			stores := roles(r.Trace, trace.RoleStore)
			for i := 1; i <= r.Trace.Len(); i++ {
				e := r.Trace.Event(i)
				sent := e.Kind == trace.KindSend && stores[e.Peer]
				if sent && e.Source.File == "" {
					t.Errorf("%s, step %d: %q comes from no line of impl/", r.Variant, e.Step, e.Text)
				}
				if e.Source.File != "" {
					checkSource(t, r.Variant, e)
				}
			}
		}
	})
}

// TestSourceTellsCommandsApart shows that the line that is shown is the one
// that decides what to send, not one through which everything passes.
func TestSourceTellsCommandsApart(t *testing.T) {
	each(t, func(t *testing.T, sc *script.Scenario) {
		for _, r := range runAll(t, sc) {
			stores, sends := roles(r.Trace, trace.RoleStore), map[trace.Source]string{}
			for i := 1; i <= r.Trace.Len(); i++ {
				e := r.Trace.Event(i)
				if e.Kind != trace.KindSend || !stores[e.Peer] {
					continue
				}
				command, _, _ := strings.Cut(e.Text, " ")
				if command == "WAIT" {
					continue // it goes in one pipeline with the grant
				}
				if before := sends[e.Source]; before != "" && before != command {
					t.Errorf("%s: %v sends %s and %s", r.Variant, e.Source, before, command)
				}
				sends[e.Source] = command
			}
		}
	})
}

func checkSource(t *testing.T, variant string, e *trace.Event) {
	t.Helper()
	text, err := impl.Source(e.Source.File)
	if err != nil {
		t.Errorf("%s, step %d (%q): %v", variant, e.Step, e.Text, err)
		return
	}
	lines := strings.Split(text, "\n")
	if n := e.Source.Line; n < 1 || n > len(lines) || strings.TrimSpace(lines[n-1]) == "" {
		t.Errorf("%s, step %d: %s has no code in line %d", variant, e.Step, e.Source.File, n)
	}
}

func TestFilesAreFormatted(t *testing.T) {
	each(t, func(t *testing.T, sc *script.Scenario) {
		formatted := script.Format(sc)
		if !bytes.Equal(read(t, sc), formatted) {
			t.Errorf("%s is not in its canonical form: lockstep verify --update writes it", sc.File)
		}
		again, err := script.Parse(sc.File, formatted)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(formatted, script.Format(again)) {
			t.Error("formatting what is formatted changes it")
		}
	})
}

// TestRewriteChangesNothing shows that the recorded traces are complete and the
// present ones: recording them once more gives the same file.
func TestRewriteChangesNothing(t *testing.T) {
	each(t, func(t *testing.T, sc *script.Scenario) {
		report, err := scenarios.Replay(t.Context(), sc)
		if err != nil {
			t.Fatal(err)
		}
		if *update {
			t.Skip("the files are being rewritten")
		}
		rewritten, err := report.Updated()
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(read(t, sc), rewritten) {
			t.Errorf("%s has no trace, or an old one: go test ./scenarios -update records it", sc.File)
		}
	})
}

func TestFilesAreShort(t *testing.T) {
	each(t, func(t *testing.T, sc *script.Scenario) {
		written := *sc
		head, _, _ := bytes.Cut(script.Format(&written), []byte("\ntrace "))
		switch n := bytes.Count(head, []byte("\n")) + 1; {
		case n > maxLines:
			t.Errorf("%d lines before the traces: at most %d", n, maxLines)
		case n > advisedLines:
			t.Logf("%d lines before the traces: split it if you can", n)
		}
	})
}

// runs are the runs that the tests share: a run does not change, and that of a
// herd takes its time.
var runs sync.Map // by ID: func() ([]*runner.Result, error)

func runAll(t *testing.T, sc *script.Scenario) []*runner.Result {
	t.Helper()
	once, _ := runs.LoadOrStore(sc.ID, sync.OnceValues(func() ([]*runner.Result, error) {
		return runner.RunAll(context.Background(), sc, runner.Options{})
	}))
	results, err := once.(func() ([]*runner.Result, error))()
	if err != nil {
		t.Fatal(err)
	}
	return results
}

// runAgain runs every variant once more.
func runAgain(t *testing.T, sc *script.Scenario) []*runner.Result {
	t.Helper()
	results, err := runner.RunAll(t.Context(), sc, runner.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return results
}

func read(t *testing.T, sc *script.Scenario) []byte {
	t.Helper()
	src, err := os.ReadFile(path(sc))
	if err != nil {
		t.Fatal(err)
	}
	return src
}

func encode(t *testing.T, tr *trace.Trace) []byte {
	t.Helper()
	out, err := json.Marshal(tr)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func roles(tr *trace.Trace, role trace.Role) map[string]bool {
	out := map[string]bool{}
	for _, a := range tr.Header().Actors {
		if a.Role == role {
			out[a.Name] = true
		}
	}
	return out
}
