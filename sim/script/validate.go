package script

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lockstep-sim/lockstep/internal/suggest"
)

// validate checks what no single line can tell. Where a directive had a line
// that could not be read, the checks that would miss it are left out: a mistake
// is reported once, not once more for everything that relies on its line.
func (p *parser) validate() {
	if len(p.seen) == 0 {
		if len(p.errs) == 0 {
			p.fail(firstPos, "nothing in here: a scenario starts with its title")
		}
		return
	}
	p.complete()
	p.checkGroups()
	p.unique()
	p.limits()
	p.settings()
	p.references()
	p.known()
	p.conditions()
	p.verdicts()
	p.goldens()
	p.unused()
}

// whole reports whether every line of the directives has been read.
func (p *parser) whole(directives ...string) bool {
	return !slices.ContainsFunc(directives, func(d string) bool { return p.broken[d] })
}

func (p *parser) complete() {
	for _, d := range directives {
		if d.required && !p.seen[d.Name] {
			p.fail(firstPos, "the file has no %q line", d.Name)
		}
	}
}

// settings checks the values that parameters are given.
func (p *parser) settings() {
	all := p.scn.Parameters()
	for _, set := range p.scn.Params {
		if i := slices.IndexFunc(all, isNamed(set.Name.Text)); i >= 0 {
			p.setting(all[i], set)
		} else if _, err := typeOf(set.Value.Text); err != nil {
			p.fail(set.Value.Pos, "%v", err)
			p.broken["param"] = true
		}
	}
	for _, v := range p.scn.Variants {
		used := taken{}
		for _, set := range v.Set {
			used.add(p, "parameter", set.Name, v.Name.Text)
			if i := slices.IndexFunc(all, isNamed(set.Name.Text)); i >= 0 {
				p.setting(all[i], set)
			} else if p.whole("param") {
				p.unknown(set.Name.Pos, "parameter", set.Name.Text, paramNames(all))
			}
		}
	}
}

func (p *parser) setting(param Param, set Setting) {
	if err := param.Check(set.Value.Text); err != nil {
		p.fail(set.Value.Pos, "%v", err)
	}
}

func isNamed(name string) func(Param) bool {
	return func(p Param) bool { return p.Name == name }
}

func paramNames(list []Param) []string {
	out := make([]string, len(list))
	for i, p := range list {
		out[i] = p.Name
	}
	return out
}

// references checks every $name.
func (p *parser) references() {
	all := p.scn.Parameters()
	for _, r := range p.refs {
		i := slices.IndexFunc(all, isNamed(r.name))
		switch {
		case i < 0 && p.whole("param"):
			p.unknown(r.pos, "parameter", r.name, paramNames(all))
		case i >= 0 && !fits(all[i].Type, r.typ):
			p.fail(r.pos, "$%s is of type %s: expected %s", r.name, all[i].Type, r.what)
		case i >= 0 && r.least > 0 && !all[i].Declared:
			if err := checkLeast(all[i].Default, r.least); err != nil {
				p.fail(r.pos, "%s: %v", r.name, err)
			}
		}
	}
}

// unused checks that something refers to every parameter of the scenario's own:
// one that nothing does is a parameter of the language, misspelt. In a file with
// other mistakes it could be one of them that hides the use.
func (p *parser) unused() {
	if len(p.errs) > 0 {
		return
	}
	language := paramNames(Params())
	for _, set := range p.scn.Params {
		name := set.Name.Text
		if slices.Contains(language, name) || slices.ContainsFunc(p.refs, func(r paramRef) bool { return r.name == name }) {
			continue
		}
		help := suggest.DidYouMean(name, language)
		if help == "" {
			help = fmt.Sprintf(": write $%s where its value belongs", name)
		}
		p.fail(set.Name.Pos, "parameter %q is not used anywhere%s", name, help)
	}
}

// fits reports whether a parameter of type t can stand where a value of type
// want is needed. Names of clients and outcomes are words.
func fits(t, want Type) bool {
	switch want {
	case typeText:
		return true
	case TypeWord, typeClient:
		return t == TypeWord || t == TypeChoice
	}
	return t == want
}

// variantsOf lists the variants that a condition admits.
func (s *Scenario) variantsOf(when []Word) []string {
	var out []string
	for _, v := range s.Variants {
		if applies(when, v.Name.Text) {
			out = append(out, v.Name.Text)
		}
	}
	return out
}

// applies reports whether a line with this condition holds in a variant.
func applies(when []Word, variant string) bool {
	return len(when) == 0 || slices.ContainsFunc(when, func(w Word) bool { return w.Text == variant })
}

// verdicts checks that what the variants promise is looked at.
func (p *parser) verdicts() {
	s := p.scn
	for _, v := range s.Variants {
		for _, w := range v.Violates {
			p.checked(w)
		}
		expected := slices.ContainsFunc(s.Expects, func(e Expect) bool { return applies(e.When, v.Name.Text) })
		if !expected && p.seen["expect"] && p.whole("expect") {
			p.fail(v.Name.Pos, "variant %q has no expect line: at least one has to hold in it", v.Name.Text)
		}
	}
	for _, e := range s.Expects {
		if e.Subject.Name == "violation" {
			p.checked(Word{Text: e.Subject.Arg, Pos: e.Subject.Pos})
		}
	}
}

// checked complains about an invariant that the runs are not judged by.
func (p *parser) checked(invariant Word) {
	if !p.whole("check") {
		return
	}
	judged := texts(p.scn.Checks)
	if len(judged) == 0 {
		judged = defaultInvariants()
	}
	if !slices.Contains(judged, invariant.Text) {
		p.fail(invariant.Pos, "invariant %q is not checked in this file; checked are: %s",
			invariant.Text, strings.Join(judged, ", "))
	}
}

// goldens checks that the traces come once each and in the order of the
// variants.
func (p *parser) goldens() {
	order := p.scn.variantsOf(nil)
	last := -1
	for _, g := range p.scn.Goldens {
		i := slices.Index(order, g.Variant.Text)
		switch {
		case i < 0: // not known, which is reported where that is checked
		case i == last:
			p.fail(g.Variant.Pos, "variant %q has a second trace", g.Variant.Text)
		case i < last:
			p.fail(g.Variant.Pos, "the traces have to stand in the order of the variants: %s", strings.Join(order, ", "))
		default:
			last = i
		}
	}
}
