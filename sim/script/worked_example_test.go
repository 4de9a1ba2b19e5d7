package script_test

import (
	"testing"

	"github.com/lockstep-sim/lockstep/sim/runner"
	"github.com/lockstep-sim/lockstep/sim/script"
)

// The reference shows this file as an example, so it has to come out as it says.
func TestWorkedExampleRuns(t *testing.T) {
	s, err := script.ParseFile("example.scn")
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range s.Variants {
		t.Run(v.Name.Text, func(t *testing.T) {
			r, err := runner.Run(t.Context(), s, v.Name.Text, runner.Options{})
			if err != nil {
				t.Fatal(err)
			}
			for _, o := range r.Expects {
				if o.Status != runner.Met {
					t.Errorf("line %d: %s: got %s", o.Line, o.Text, o.Got)
				}
			}
		})
	}
}
