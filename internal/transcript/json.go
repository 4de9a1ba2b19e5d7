package transcript

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/lockstep-sim/lockstep/sim/runner"
	"github.com/lockstep-sim/lockstep/sim/script"
	"github.com/lockstep-sim/lockstep/sim/trace"
)

// Version is the version of the JSON that [WriteJSON] writes. It grows when a
// field changes its meaning or goes away, not when one is added.
const Version = 1

type (
	document struct {
		Version  int       `json:"version"`
		Scenario string    `json:"scenario"`
		Variants []variant `json:"variants"`
	}
	variant struct {
		Name       string      `json:"name"`
		OK         bool        `json:"ok"`
		Expects    []expect    `json:"expects"`
		Violations []violation `json:"violations"`
		Measures   []measured  `json:"measures,omitempty"`
		Steps      []step      `json:"steps"`
	}
	expect struct {
		Line    int    `json:"line"`
		Text    string `json:"text"`
		OK      bool   `json:"ok"`
		Applies bool   `json:"applies"` // false: made for other parameters than the run's
		Got     string `json:"got"`
	}
	measured struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
	violation struct {
		Invariant string `json:"invariant"`
		Step      int    `json:"step"`
		At        int64  `json:"at_ns"`
		Reason    string `json:"reason"`
	}
	step struct {
		Step   int    `json:"step"`
		At     int64  `json:"at_ns"`
		Actor  string `json:"actor"`
		Kind   string `json:"kind"`
		Text   string `json:"text"`
		Source string `json:"source,omitempty"` // FILE:LINE
	}
)

// WriteJSON writes the variants of a scenario that were run as one line of JSON,
// the same in every language; docs/trace-format.md describes it.
func WriteJSON(w io.Writer, sc *script.Scenario, results []*runner.Result) error {
	doc := document{Version: Version, Scenario: sc.ID, Variants: []variant{}}
	for _, r := range results {
		doc.Variants = append(doc.Variants, encode(r))
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(doc)
}

func encode(r *runner.Result) variant {
	v := variant{Name: r.Variant, OK: r.OK(), Expects: []expect{}, Violations: []violation{}, Steps: []step{}}
	for _, o := range r.Expects {
		v.Expects = append(v.Expects, expect{
			Line: o.Line, Text: o.Text, Got: o.Got,
			OK: o.Status == runner.Met, Applies: o.Status != runner.NotApplicable,
		})
	}
	for _, b := range r.Trace.Violations() {
		v.Violations = append(v.Violations, violation{b.Invariant, b.Step, b.At, b.Reason})
	}
	for _, m := range r.Measures {
		v.Measures = append(v.Measures, measured(m))
	}
	for i := 1; i <= r.Trace.Len(); i++ {
		v.Steps = append(v.Steps, encodeStep(r.Trace.Event(i)))
	}
	return v
}

// encodeStep leaves what a step changed to the full record of package trace.
func encodeStep(e *trace.Event) step {
	s := step{Step: e.Step, At: e.At, Actor: e.Actor, Kind: string(e.Kind), Text: e.Text}
	switch {
	case e.Reply == "":
	case e.Kind == trace.KindReturn:
		s.Text += " (" + e.Reply + ")"
	default:
		s.Text += " = " + e.Reply
	}
	if e.Source.File != "" {
		s.Source = fmt.Sprintf("%s:%d", e.Source.File, e.Source.Line)
	}
	return s
}
