package scenarios

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/lockstep-sim/lockstep/sim/runner"
	"github.com/lockstep-sim/lockstep/sim/script"
)

// maxRecorded is the number of steps up to which a run is recorded in its file:
// nobody reads the trace of a herd. What longer runs show is in their
// expectations.
const maxRecorded = 500

// ErrFailing is why [Report.Update] does not record a run: expectations are
// written by hand, and a trace that contradicts them is not worth keeping.
var ErrFailing = errors.New("not updated: an expectation fails")

// Report is what a replay of all variants of a scenario gave.
type Report struct {
	Scenario *script.Scenario
	Results  []*runner.Result // in the order of the variants
	Failures []Failure        // in the order of the variants
}

// ErrUnreadable is why [Report.Update] does not record a run whose trace would
// make the file one that is refused, because it is too long.
var ErrUnreadable = errors.New("not updated: with its traces the file would be refused")

// Failure is a difference between a scenario and its replay.
type Failure struct {
	Variant string
	Line    int    // in the scenario file
	Text    string // what was expected there
	Got     string // what the replay gave
}

// String is "VARIANT, line N: expected TEXT, got GOT".
func (f Failure) String() string {
	return fmt.Sprintf("%s, line %d: expected %s, got %s", f.Variant, f.Line, f.Text, f.Got)
}

// Replay runs every variant with the parameters of the file and compares each
// with its expectations and with its recorded trace, if the file has one. An
// error means that the scenario cannot be run: it is invalid, a fault is never
// reached, or it hits a limit.
func Replay(ctx context.Context, sc *script.Scenario) (*Report, error) {
	results, err := runner.RunAll(ctx, sc, runner.Options{})
	if err != nil {
		return nil, err
	}
	r := &Report{Scenario: sc, Results: results}
	for _, res := range results {
		r.Failures = append(r.Failures, failedExpects(res)...)
		r.Failures = append(r.Failures, changedTrace(sc, res)...)
	}
	return r, nil
}

// OK reports whether nothing differs.
func (r *Report) OK() bool { return len(r.Failures) == 0 }

// Expected reports whether all expectations are met, whatever the recorded
// traces say.
func (r *Report) Expected() bool {
	for _, res := range r.Results {
		if !res.OK() {
			return false
		}
	}
	return true
}

// Updated is the scenario file with the traces of this replay in it, formatted.
// The error is [ErrFailing] while an expectation fails, and [ErrUnreadable] if
// the result could not be read again.
func (r *Report) Updated() ([]byte, error) {
	if !r.Expected() {
		return nil, ErrFailing
	}
	traces := map[string][]string{}
	for _, res := range r.Results {
		if res.Trace.Len() <= maxRecorded {
			traces[res.Variant] = runner.Golden(res.Trace)
		}
	}
	content, err := r.Scenario.WithGoldens(traces)
	if err != nil {
		return nil, err
	}
	if _, err := script.Parse(r.Scenario.File, content); err != nil {
		return nil, fmt.Errorf("%s: %w: %s", script.Printable(r.Scenario.File), ErrUnreadable, firstMistake(err))
	}
	return content, nil
}

// firstMistake is the first line of what is wrong with a file, without its name
// and the position: the reader does not have that file.
func firstMistake(err error) string {
	if e, ok := errors.AsType[script.Error](err); ok {
		return e.Msg
	}
	return err.Error()
}

// Update rewrites the scenario file at name, from which the scenario was read,
// with what [Report.Updated] gives, and reports whether that changed it. If it
// fails, the file is what it was before.
func (r *Report) Update(name string) (changed bool, err error) {
	content, err := r.Updated()
	if err != nil {
		return false, err
	}
	old, err := os.ReadFile(name)
	if err != nil {
		return false, err
	}
	return !bytes.Equal(old, content), script.Rewrite(name, content)
}

func failedExpects(res *runner.Result) []Failure {
	var out []Failure
	for _, o := range res.Expects {
		if o.Status == runner.Failed {
			out = append(out, Failure{Variant: res.Variant, Line: o.Line, Text: o.Text, Got: o.Got})
		}
	}
	return out
}

// changedTrace finds the first line in which a run differs from its record.
func changedTrace(sc *script.Scenario, res *runner.Result) []Failure {
	for _, g := range sc.Goldens {
		if g.Variant.Text != res.Variant {
			continue
		}
		got := runner.Golden(res.Trace)
		for i := range max(len(g.Lines), len(got)) {
			if want, now := lineOf(g.Lines, i), lineOf(got, i); want != now {
				// The body begins two lines below the directive: the fence is between.
				return []Failure{{Variant: res.Variant, Line: g.Variant.Pos.Line + 2 + i, Text: want, Got: now}}
			}
		}
	}
	return nil
}

// lineOf is a line of a trace, quoted, or "the end" behind the last one.
func lineOf(lines []string, i int) string {
	if i < len(lines) {
		return fmt.Sprintf("%q", lines[i])
	}
	return "the end of the trace"
}
