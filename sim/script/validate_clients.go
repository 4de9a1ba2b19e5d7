package script

import (
	"slices"
	"strconv"
	"strings"
)

// conditions checks that the clients of faults and expectations take part, and
// have the steps that are asked for, wherever the line applies.
func (p *parser) conditions() {
	if !p.whole("client", "variant") {
		return
	}
	cast := p.roster.cast(p.scn.Variants)
	for _, f := range p.scn.Faults {
		for _, a := range f.Actors() {
			p.takesPart(cast, a, f.When)
		}
		p.lasts(f)
	}
	for _, e := range p.scn.Expects {
		p.subjectTakesPart(cast, e.Subject, e.When)
	}
	for _, m := range p.scn.Measures {
		for _, s := range m.subjects() {
			p.subjectTakesPart(cast, s, m.When)
		}
	}
}

// lasts checks that a partition takes any time. Times that depend on parameters
// are not compared.
func (p *parser) lasts(f Fault) {
	if f.From == nil {
		return
	}
	from, err1 := parseDuration(f.From.Text)
	until, err2 := parseDuration(f.Until.Text)
	if err1 == nil && err2 == nil && until <= from {
		p.fail(f.Until.Pos, "a partition that begins at %s cannot end at %s", f.From.Text, f.Until.Text)
	}
}

// takesPart checks a client against a condition. What is not a client, or not a
// known one, passes.
func (p *parser) takesPart(cast cast, client Word, when []Word) bool {
	parts, ok := cast[client.Text]
	if !ok {
		return false
	}
	for _, v := range p.scn.variantsOf(when) {
		if parts[v] == nil {
			p.fail(client.Pos, "client %q takes no part in variant %q: it does when variant=%s",
				client.Text, v, strings.Join(p.scn.partsOf(parts), ","))
			return false
		}
	}
	return true
}

// partsOf lists the variants of one client in their order.
func (s *Scenario) partsOf(parts map[string]*Client) []string {
	return slices.DeleteFunc(s.variantsOf(nil), func(v string) bool { return parts[v] == nil })
}

func (p *parser) subjectTakesPart(cast cast, s Subject, when []Word) {
	if p.takesPart(cast, Word{Text: s.Actor, Pos: s.Pos}, when) && s.Name == "step" {
		p.hasStep(cast, s, when)
	}
}

// hasStep checks that a step that is looked at exists in every variant in which
// it is.
func (p *parser) hasStep(cast cast, s Subject, when []Word) {
	for _, v := range p.scn.variantsOf(when) {
		n := 0
		for _, st := range cast[s.Actor][v].Steps {
			if st.Verb.Text == s.Verb {
				n++
			}
		}
		if n >= s.Nth {
			continue
		}
		has := "no step " + strconv.Quote(s.Verb)
		if n > 0 {
			has = "only " + strconv.Itoa(n) + " of the steps " + strconv.Quote(s.Verb)
		}
		p.fail(s.Pos, "client %q has %s in variant %q", s.Actor, has, v)
		return
	}
}
