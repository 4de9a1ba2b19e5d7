package script

import "strings"

func (p *parser) measure(src source) {
	c := src.cursor(p)
	m := Measure{Name: c.name("the name of a measure")}
	c.need("=")
	m.Subject = c.subject()
	if c.accept("-") {
		if t := c.peek(); strings.Contains(t.text, ".") && TypeDuration.check(t.text) != nil {
			s := c.subject()
			m.Less = &s
		} else {
			v := c.value(TypeDuration, "an instant such as 5s")
			m.From = &v
		}
	}
	m.When = c.when()
	c.finish()
	p.scn.Measures = append(p.scn.Measures, m)
}

// String is the measure as it is written, without "measure" and without the
// condition.
func (m Measure) String() string {
	out := m.Name.Text + " = " + m.Subject.String()
	switch {
	case m.Less != nil:
		out += " - " + m.Less.String()
	case m.From != nil:
		out += " - " + m.From.Text
	}
	return out
}

func printMeasure(s *Scenario, l line) []string {
	m := s.Measures[l.from]
	return []string{m.String() + condition(m.When)}
}

// subjects are those of a measure.
func (m Measure) subjects() []Subject {
	if m.Less != nil {
		return []Subject{m.Subject, *m.Less}
	}
	return []Subject{m.Subject}
}
