package runner

import (
	"time"

	"github.com/lockstep-sim/lockstep/sim/script"
	"github.com/lockstep-sim/lockstep/sim/trace"
)

// Measured is one measure of a scenario as it came out in a run.
type Measured struct {
	Name string
	// Value is the number or words as expectations show them, or empty where the
	// measure does not apply to the variant.
	Value string
}

// measure takes all measures of the scenario, in their order.
func (x *execution) measure(t *trace.Trace) []Measured {
	var out []Measured
	for i := range x.sc.Measures {
		m := &x.sc.Measures[i]
		value := ""
		if x.applies(m.When) {
			value = x.difference(t, m)
		}
		// A measure can be defined once for each variant.
		if n := len(out); n > 0 && out[n-1].Name == m.Name.Text {
			if value != "" {
				out[n-1].Value = value
			}
			continue
		}
		out = append(out, Measured{m.Name.Text, value})
	}
	return out
}

func (x *execution) difference(t *trace.Trace, m *script.Measure) string {
	got := x.look(t, &m.Subject)
	var less int64
	switch {
	case m.Less != nil:
		other := x.look(t, m.Less)
		if len(other.numbers) != 1 {
			return other.text
		}
		less = other.numbers[0]
	case m.From != nil:
		less = int64(x.duration(*m.From))
	default:
		return got.text
	}
	if len(got.numbers) != 1 {
		return got.text
	}
	if !got.timed {
		return number(got.numbers[0] - less).text
	}
	// What compares variants is easier to read without nanoseconds.
	return trace.Instant(int64(time.Duration(got.numbers[0] - less).Round(time.Millisecond)))
}

// Measure is the value of a measure, or a dash where there is none.
func (r *Result) Measure(name string) string {
	for _, m := range r.Measures {
		if m.Name == name && m.Value != "" {
			return m.Value
		}
	}
	return "–"
}
