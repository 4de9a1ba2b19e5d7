// Package runner runs scenarios: it builds the simulated world that a scenario
// describes, lets its clients run the implementations of impl/ in it, and
// compares what happened with what the scenario expects.
//
// What belongs here: the meaning of the scenario language. What does not: its
// syntax (sim/script), the world (kernel, network, stores) and any lock
// algorithm (impl).
package runner

import (
	"context"
	"fmt"
	"slices"

	"github.com/lockstep-sim/lockstep/sim/kernel"
	"github.com/lockstep-sim/lockstep/sim/script"
	"github.com/lockstep-sim/lockstep/sim/trace"
)

// Options choose how a scenario is run.
type Options struct {
	// Set changes parameters that the scenario declares, by name.
	Set map[string]string
	// Seed of the run's randomness.
	Seed uint64
	// Limits of the run; zero fields mean kernel.DefaultLimits.
	Limits kernel.Limits
}

// Result is one variant that was run and judged.
type Result struct {
	Scenario *script.Scenario
	Variant  string
	Trace    *trace.Trace
	// Expects are the hand-written expectations that apply to the variant, the
	// verdict of its own line first.
	Expects []Outcome
	// Measures are those of the scenario, in its order; empty values for those
	// that do not apply to the variant.
	Measures []Measured
	// Changed names the parameters that were set from outside to another value
	// than the scenario's.
	Changed []string
}

// OK reports whether everything was as expected.
func (r *Result) OK() bool {
	return !slices.ContainsFunc(r.Expects, func(o Outcome) bool { return o.Status == Failed })
}

// Run runs one variant. The error is a script.Errors for a scenario that cannot
// be run as it stands, or one of the kernel's.
func Run(ctx context.Context, sc *script.Scenario, variant string, opts Options) (*Result, error) {
	p, err := newPlan(sc, variant, opts)
	if err != nil {
		return nil, err
	}
	x, err := newExecution(p, opts)
	if err != nil {
		return nil, fmt.Errorf("%s (%s): %w", sc.File, variant, err)
	}
	defer x.close()
	t, err := x.run(ctx)
	if err != nil {
		return nil, fmt.Errorf("%s (%s): %w", sc.File, variant, err)
	}
	if err := x.unreached(); err != nil {
		return nil, err
	}
	return &Result{
		Scenario: sc, Variant: variant, Trace: t,
		Expects: x.judge(t), Measures: x.measure(t), Changed: p.changed,
	}, nil
}

// RunAll runs every variant in order.
func RunAll(ctx context.Context, sc *script.Scenario, opts Options) ([]*Result, error) {
	var out []*Result
	for _, v := range sc.Variants {
		r, err := Run(ctx, sc, v.Name.Text, opts)
		if err != nil {
			return out, err
		}
		out = append(out, r)
	}
	return out, nil
}
