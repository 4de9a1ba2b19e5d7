package scenarios_test

import (
	_ "embed"
	"slices"
	"strings"
	"testing"

	"github.com/lockstep-sim/lockstep/scenarios"
)

//go:embed curriculum.txt
var curriculum string

// TestTheCurriculumIsComplete compares the scenarios with the list of all that
// there are to be.
func TestTheCurriculumIsComplete(t *testing.T) {
	var want []string
	for line := range strings.Lines(curriculum) {
		if id := strings.TrimSpace(line); id != "" && !strings.HasPrefix(id, "#") {
			want = append(want, id)
		}
	}
	have := scenarios.List()
	for _, id := range want {
		if !slices.Contains(have, id) {
			t.Errorf("scenarios/%s.scn is missing", id)
		}
	}
	for _, id := range have {
		if !slices.Contains(want, id) {
			t.Errorf("scenarios/%s.scn is not in curriculum.txt", id)
		}
	}
}
