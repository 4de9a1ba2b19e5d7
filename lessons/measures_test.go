package lessons

import (
	"strings"
	"testing"

	"github.com/lockstep-sim/lockstep/scenarios"
	"github.com/lockstep-sim/lockstep/sim/runner"
)

func measuredRuns() []*runner.Result {
	return []*runner.Result{
		{Variant: "redis", Measures: []runner.Measured{{Name: "free", Value: "30s"}, {Name: "who", Value: "A, B"}}},
		{Variant: "etcd", Measures: []runner.Measured{{Name: "free", Value: "10s"}, {Name: "who"}}},
	}
}

func TestMeasuresBecomeATable(t *testing.T) {
	got, err := WithMeasures("before\n\n{{measures approach; free=free after; who=believers}}\n\nafter", measuredRuns())
	if err != nil {
		t.Fatal(err)
	}
	want := "before\n\n| approach | free after | believers |\n|---|---|---|\n| redis | 30s | A, B |\n| etcd | 10s | – |\n\nafter"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestAMeasureThatIsNotTakenIsNamed(t *testing.T) {
	_, err := WithMeasures("{{measures approach; freee=free after}}", measuredRuns())
	if err == nil || !strings.Contains(err.Error(), `"freee" is no measure`) {
		t.Errorf("got %v", err)
	}
}

func TestTablesOfLessonsAreMadeOfMeasures(t *testing.T) {
	for _, lang := range Langs {
		each(t, lang, func(t *testing.T, l *Lesson) {
			if !strings.Contains(l.Body(), measuresOpen) {
				return
			}
			sc, err := scenarios.Load(l.ID)
			if err != nil {
				t.Fatal(err)
			}
			results, err := runner.RunAll(t.Context(), sc, runner.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := WithMeasures(l.Body(), results); err != nil {
				t.Error(err)
			}
		})
	}
}
