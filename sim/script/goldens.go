package script

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// WithGoldens formats the scenario with the traces of some variants replaced or,
// where the file has none for them, added. Traces of other variants, comments
// and everything else stay as they are. The receiver does not change.
//
// The error names the variant that does not exist or the line of a trace that a
// file cannot hold.
func (s *Scenario) WithGoldens(traces map[string][]string) ([]byte, error) {
	order := s.variantsOf(nil)
	for _, v := range slices.Sorted(maps.Keys(traces)) {
		if !slices.Contains(order, v) {
			return nil, errors.New(unknown("variant", v, order))
		}
		if err := checkTrace(traces[v]); err != nil {
			return nil, fmt.Errorf("trace of variant %q: %w", v, err)
		}
	}
	head, sections := s.sections()
	out := *s
	out.Goldens, out.lines = nil, head
	for _, v := range order {
		l, lines, ok := s.section(sections, v, traces)
		if !ok {
			continue
		}
		n := len(out.Goldens)
		out.Goldens = append(out.Goldens, Golden{Variant: Word{Text: v}, Lines: lines})
		l[len(l)-1].from, l[len(l)-1].to = n, n+1
		out.lines = append(out.lines, l...)
	}
	out.lines = append(out.lines, sections[""]...)
	return Format(&out), nil
}

// sections splits the layout: the lines before the first trace, and for each
// variant its trace with the comments above it. What comes behind the last
// trace is found under the empty name.
func (s *Scenario) sections() (head []line, sections map[string][]line) {
	all := s.layout()
	first := slices.IndexFunc(all, isTrace)
	if first < 0 {
		first = len(all)
	}
	sections = map[string][]line{}
	var pending []line
	for _, l := range all[first:] {
		pending = append(pending, l)
		if isTrace(l) {
			sections[s.Goldens[l.from].Variant.Text] = pending
			pending = nil
		}
	}
	sections[""] = pending
	return slices.Clone(all[:first]), sections
}

// section gives the layout and the lines of the trace of one variant: the new
// ones, or those of the file.
func (s *Scenario) section(sections map[string][]line, variant string, traces map[string][]string) ([]line, []string, bool) {
	lines, recorded := traces[variant]
	l, present := sections[variant]
	switch {
	case !present && !recorded:
		return nil, nil, false
	case !present:
		l = []line{{kind: directiveLine, directive: "trace", rows: []row{{}}}}
	case !recorded:
		lines = s.Goldens[l[len(l)-1].from].Lines
	}
	return slices.Clone(l), lines, true
}

func checkTrace(lines []string) error {
	for i, l := range lines {
		switch _, why := badText(l); {
		case why != "":
			return fmt.Errorf("line %d: %s", i+1, why)
		case strings.Contains(l, "\n"), isFence(l):
			return fmt.Errorf("line %d: %q would end the trace", i+1, l)
		}
	}
	return nil
}
