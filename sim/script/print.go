package script

import (
	"strings"
)

func printTitle(s *Scenario, _ line) []string { return []string{s.Title} }

func printStore(s *Scenario, _ line) []string { return []string{strings.Join(texts(s.Stores), " ")} }

func printLock(s *Scenario, _ line) []string { return []string{strings.Join(texts(s.Locks), " ")} }

func printParams(s *Scenario, l line) []string {
	return []string{settings(s.Params[l.from:l.to])}
}

func printResource(s *Scenario, l line) []string {
	r := s.Resources[l.from]
	out := r.Name.Text + "=" + r.Initial.Text
	if r.Min != nil {
		out += " min=" + r.Min.Text
	}
	return []string{out}
}

func printChecks(s *Scenario, l line) []string {
	return []string{strings.Join(texts(s.Checks[l.from:l.to]), " ")}
}

func printUntil(s *Scenario, _ line) []string { return []string{s.Until.Text} }

func printVariant(s *Scenario, l line) []string {
	v := s.Variants[l.from]
	out := v.Name.Text
	if len(v.Set) > 0 {
		out += " " + settings(v.Set)
	}
	if len(v.Violates) == 0 {
		return []string{out + " expect no-violation"}
	}
	return []string{out + " expect violation " + strings.Join(texts(v.Violates), ", ")}
}

func printClient(s *Scenario, l line) []string {
	c := s.Clients[l.from]
	out := make([]string, len(l.rows))
	steps := c.Steps
	for i, r := range l.rows {
		var parts []string
		for _, st := range steps[:r.steps] {
			parts = append(parts, st.String())
		}
		steps = steps[r.steps:]
		out[i] = strings.Join(parts, "; ")
		if r.steps > 0 && len(steps) > 0 {
			out[i] += ";"
		}
	}
	out[0] = strings.TrimRight(c.heading()+condition(c.When)+": "+out[0], " ")
	return out
}

// heading is the name of a client, or a group as it is written.
func (c *Client) heading() string {
	out := c.Name.Text
	if c.Count != nil {
		out += "[" + c.Count.Text + "]"
	}
	if c.Every != nil {
		out += " every " + c.Every.Text
	}
	return out
}

func printFault(s *Scenario, l line) []string {
	f := &s.Faults[l.from]
	return []string{f.String() + condition(f.When)}
}

func printMark(s *Scenario, l line) []string {
	m := s.Marks[l.from]
	return []string{m.Name.Text + " at " + orEnd(m.At) + condition(m.When)}
}

func printExpect(s *Scenario, l line) []string {
	e := s.Expects[l.from]
	return []string{e.String() + condition(e.When)}
}

func printTrace(s *Scenario, l line) []string { return []string{s.Goldens[l.from].Variant.Text} }

// String is the step as it is written.
func (st Step) String() string {
	var parts []string
	switch {
	case st.At != nil:
		parts = append(parts, "at", st.At.Text)
	case st.After != nil:
		parts = append(parts, "after", st.After.Text)
	}
	parts = append(parts, st.Verb.Text)
	for _, a := range st.Args {
		parts = append(parts, a.Text)
	}
	if len(st.Opts) > 0 {
		parts = append(parts, settings(st.Opts))
	}
	return strings.Join(append(parts, texts(st.Flags)...), " ")
}

// String is the expectation as it is written, without "expect" and without the
// condition.
func (e Expect) String() string {
	want := make([]string, len(e.Want))
	for i, w := range e.Want {
		want[i] = w.Text
	}
	return e.Subject.String() + " " + e.Op + " " + strings.Join(want, ", ")
}

func settings(list []Setting) string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = s.Name.Text + "=" + s.Value.Text
	}
	return strings.Join(out, " ")
}

func texts(list []Word) []string {
	out := make([]string, len(list))
	for i, w := range list {
		out[i] = w.Text
	}
	return out
}

// condition is the end of a line that does not apply to every variant.
func condition(when []Word) string {
	if len(when) == 0 {
		return ""
	}
	return " when variant=" + strings.Join(texts(when), ",")
}
