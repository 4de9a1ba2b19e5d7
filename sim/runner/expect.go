package runner

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lockstep-sim/lockstep/sim/script"
	"github.com/lockstep-sim/lockstep/sim/trace"
)

// Status is how an expectation came out.
type Status string

// The outcomes of expectations.
const (
	Met    Status = "ok"
	Failed Status = "failed"
	// NotApplicable: it was written for other parameters than the run's and
	// does not hold with these.
	NotApplicable Status = "not applicable"
)

// Outcome is one expectation with what the run gave.
type Outcome struct {
	Line   int
	Text   string
	Status Status
	Got    string
}

// judge compares a run with everything that the scenario expects of it.
func (x *execution) judge(t *trace.Trace) []Outcome {
	out := []Outcome{x.judgeVerdict(t)}
	for i := range x.sc.Expects {
		e := &x.sc.Expects[i]
		if !x.applies(e.When) {
			continue
		}
		got := x.look(t, &e.Subject)
		o := Outcome{Line: e.Pos.Line, Text: e.String(), Got: got.text, Status: Met}
		if !x.holds(got, e) {
			o.Status = x.failure()
		}
		out = append(out, o)
	}
	return out
}

// failure is the status of what does not hold. With parameters changed from
// outside, the numbers of the file no longer speak of this run.
func (x *execution) failure() Status {
	if len(x.changed) > 0 {
		return NotApplicable
	}
	return Failed
}

// judgeVerdict compares the broken invariants with those that the variant is
// meant to break. An invariant broken by surprise is a failure whatever the
// parameters are.
func (x *execution) judgeVerdict(t *trace.Trace) Outcome {
	var broken []string
	for _, v := range t.Violations() {
		if !slices.Contains(broken, v.Invariant) {
			broken = append(broken, v.Invariant)
		}
	}
	var wanted []string
	for _, w := range x.variant.Violates {
		wanted = append(wanted, w.Text)
	}
	o := Outcome{Line: x.variant.Name.Pos.Line, Text: verdict(wanted), Got: verdict(broken), Status: Met}
	for _, b := range broken {
		if !slices.Contains(wanted, b) {
			o.Status = Failed
			return o
		}
	}
	for _, w := range wanted {
		if !slices.Contains(broken, w) {
			o.Status = x.failure()
		}
	}
	return o
}

func verdict(invariants []string) string {
	if len(invariants) == 0 {
		return "no-violation"
	}
	return "violation " + strings.Join(invariants, ", ")
}

// observed is what a run shows for a subject: words or, where they can be
// compared by size, numbers.
type observed struct {
	text    string
	words   []string
	numbers []int64
	timed   bool // the numbers are nanoseconds
}

func word(s string) observed { return observed{text: s, words: []string{s}} }

func number(n int64) observed {
	s := strconv.FormatInt(n, 10)
	return observed{text: s, words: []string{s}, numbers: []int64{n}}
}

func instant(ns int64) observed { return instants([]int64{ns}) }

func instants(list []int64) observed {
	if len(list) == 0 {
		return word("none")
	}
	o := observed{numbers: list, timed: true}
	for _, ns := range list {
		o.words = append(o.words, trace.Instant(ns))
	}
	o.text = strings.Join(o.words, ", ")
	return o
}

func list(names []string) observed {
	if len(names) == 0 {
		return word("none")
	}
	return observed{text: strings.Join(names, ", "), words: names}
}

// holds compares what was seen with what was expected.
func (p *plan) holds(got observed, e *script.Expect) bool {
	var wantWords []string
	var wantNumbers []int64
	for _, w := range e.Want {
		text := p.text(w)
		wantWords = append(wantWords, text)
		if d, err := time.ParseDuration(text); err == nil {
			wantNumbers = append(wantNumbers, int64(d))
		} else if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			wantNumbers = append(wantNumbers, n)
		}
	}
	numeric := len(got.numbers) > 0 && len(wantNumbers) == len(wantWords)
	equal := slices.Equal(got.words, wantWords)
	if numeric {
		equal = slices.Equal(got.numbers, wantNumbers)
	}
	switch e.Op {
	case "=":
		return equal
	case "!=":
		return !equal
	}
	if !numeric || len(got.numbers) != 1 || len(wantNumbers) != 1 {
		return false
	}
	return compare(got.numbers[0], e.Op, wantNumbers[0])
}

func compare(got int64, op string, want int64) bool {
	switch op {
	case "<":
		return got < want
	case "<=":
		return got <= want
	case ">":
		return got > want
	case ">=":
		return got >= want
	}
	panic(fmt.Sprintf("unchecked operator %q", op))
}
