package tui

import (
	"slices"

	"github.com/lockstep-sim/lockstep/sim/trace"
	"github.com/lockstep-sim/lockstep/tui/internal/cells"
)

// invariants is every invariant that the run is judged by, with how it stands at
// the step: what will break later is not told.
func (s *scene) invariants(width int) content {
	c := content{title: s.tr(txtPaneInvariants)}
	for _, name := range s.checked() {
		c.lines = append(c.lines, s.verdictLines(name, width)...)
	}
	if c.lines == nil {
		c.lines = []cells.Line{{{Text: s.fit(s.tr(txtNoInvariants), width), Look: dim}}}
	}
	return c
}

// checked names the invariants: broken ones first, and of these the one that
// broke last, so that a short pane shows what the step is about.
func (s *scene) checked() []string {
	var broken, sound []string
	for _, v := range s.world.Violations {
		if !slices.Contains(broken, v.Invariant) {
			broken = append(broken, v.Invariant)
		}
	}
	slices.Reverse(broken)
	for _, name := range s.line.header.Checks {
		if !slices.Contains(broken, name) {
			sound = append(sound, name)
		}
	}
	return append(broken, sound...)
}

// verdictLines are an invariant and, if it is broken, where and why first.
func (s *scene) verdictLines(name string, width int) []cells.Line {
	i := slices.IndexFunc(s.world.Violations, func(v trace.StepViolation) bool { return v.Invariant == name })
	sign, look := s.verdict(i < 0)
	room := width - cells.Width(sign) - 1
	line := cells.Line{{Text: sign + " ", Look: look}, {Text: s.fit(s.invariant(name), room)}}
	if i < 0 {
		return []cells.Line{line}
	}
	line[1].Look = bad
	v := s.world.Violations[i]
	where := s.trf(txtBrokenAt, clockText(v.At), v.Step)
	lines := []cells.Line{line}
	for _, l := range cells.Wrap(cells.Line{{Text: where, Look: bad}, {Text: s.phrase(v.Reason)}}, width-2) {
		lines = append(lines, append(cells.Line{{Text: "  "}}, l...))
	}
	return lines
}
