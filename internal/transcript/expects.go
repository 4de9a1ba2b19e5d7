package transcript

import (
	"fmt"

	"github.com/lockstep-sim/lockstep/sim/runner"
)

// expects tells what came of every expectation, and of all of them together.
func (t *transcript) expects() {
	t.gap()
	t.line("%s", t.words.expectations)
	failed, applicable := 0, 0
	for _, o := range t.r.Expects {
		t.line("  %s", t.expectation(o))
		switch o.Status {
		case runner.Failed:
			failed++
			applicable++
		case runner.Met:
			applicable++
		}
	}
	switch {
	case failed > 0:
		t.line(t.words.someFailed, failed, applicable)
	case applicable < len(t.r.Expects):
		t.line(t.words.someApply, applicable, len(t.r.Expects))
	default:
		t.line(t.words.allMet, applicable)
	}
}

func (t *transcript) expectation(o runner.Outcome) string {
	status := map[runner.Status]string{
		runner.Met: t.words.met, runner.Failed: t.words.failed, runner.NotApplicable: t.words.notApplicable,
	}[o.Status]
	text := fmt.Sprintf(t.words.expectation, o.Line, status, o.Text)
	if o.Status != runner.Met {
		text += fmt.Sprintf(t.words.got, o.Got)
	}
	return text
}
