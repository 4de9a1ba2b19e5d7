package runner

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lockstep-sim/lockstep/internal/suggest"
	"github.com/lockstep-sim/lockstep/sim/network"
	"github.com/lockstep-sim/lockstep/sim/script"
)

// plan is a scenario with one variant chosen and every parameter known.
type plan struct {
	sc      *script.Scenario
	variant *script.Variant
	params  map[string]string
	store   string   // of this variant; empty for a lock without one
	nodes   []string // the lanes of the store
	members []script.Member
	changed []string
	faults  network.Faults
	placed  []placed
}

// placed is a rule of the network with the fault it comes from.
type placed struct {
	rule  *network.Rule
	fault *script.Fault
}

func newPlan(sc *script.Scenario, variant string, opts Options) (*plan, error) {
	i := slices.IndexFunc(sc.Variants, func(v script.Variant) bool { return v.Name.Text == variant })
	if i < 0 {
		return nil, unknownVariant(sc, variant)
	}
	p := &plan{sc: sc, variant: &sc.Variants[i], params: map[string]string{}}
	p.params = sc.ParamsOf(p.variant)
	if err := p.override(opts.Set); err != nil {
		return nil, err
	}
	if err := sc.CheckGroups(variant, p.params); err != nil {
		return nil, &UsageError{err.Error()}
	}
	p.members = sc.Members(variant, p.params)
	p.store = sc.StoreOf(p.params)
	p.nodes = script.NodesOf(p.store, func(name string) int { return int(p.number(name)) })
	if err := p.checkTargets(); err != nil {
		return nil, err
	}
	p.setFaults()
	return p, nil
}

// checkTargets finds what asks for nodes, clients or keys that the variant does
// not have.
func (p *plan) checkTargets() error {
	var errs script.Errors
	missing := func(pos script.Pos, what string) {
		errs = append(errs, script.Error{File: p.sc.File, Pos: pos, Msg: fmt.Sprintf(
			"variant %s has no %s%s", p.variant.Name.Text, what, p.whyNot())})
	}
	have := slices.Concat(p.nodes, p.clientNames())
	for _, f := range p.sc.Faults {
		if !p.applies(f.When) {
			continue
		}
		for _, w := range f.Actors() {
			if !slices.Contains(have, w.Text) {
				missing(f.Pos, w.Text)
			}
		}
	}
	if p.store == "" {
		p.checkKeys(missing)
	}
	if len(errs) == 0 {
		return nil
	}
	return errs
}

// checkKeys finds what needs keys of a store where there is no store.
func (p *plan) checkKeys(missing func(pos script.Pos, what string)) {
	if !p.ownResources() {
		for _, r := range p.sc.Resources {
			missing(r.Name.Pos, "store that keeps "+r.Name.Text)
		}
	}
	for _, s := range p.subjects() {
		if s.Name == "ttl" {
			missing(s.Pos, "time to live")
		}
	}
}

// subjects are what the expectations and measures of the variant look at.
func (p *plan) subjects() []*script.Subject {
	var out []*script.Subject
	for i := range p.sc.Expects {
		if e := &p.sc.Expects[i]; p.applies(e.When) {
			out = append(out, &e.Subject)
		}
	}
	for i := range p.sc.Measures {
		m := &p.sc.Measures[i]
		if !p.applies(m.When) {
			continue
		}
		out = append(out, &m.Subject)
		if m.Less != nil {
			out = append(out, m.Less)
		}
	}
	return out
}

// whyNot explains why a node is missing.
func (p *plan) whyNot() string {
	if p.store == "" {
		return ": its lock does not live in a store"
	}
	return ": its store has " + strings.Join(p.nodes, ", ")
}

// UsageError is a wrong choice of variant or parameter.
type UsageError struct{ msg string }

func (e *UsageError) Error() string { return e.msg }

func unknownVariant(sc *script.Scenario, name string) error {
	var names []string
	for _, v := range sc.Variants {
		names = append(names, v.Name.Text)
	}
	return &UsageError{fmt.Sprintf("%s has no variant %q, it has: %s%s",
		sc.ID, name, strings.Join(names, ", "), suggest.DidYouMean(name, names))}
}

func (p *plan) override(set map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(set)) {
		value := set[name]
		if err := p.sc.CheckSetting(name, value); err != nil {
			return &UsageError{fmt.Sprintf("--set %s=%s: %v", name, value, err)}
		}
		if p.params[name] != value {
			p.changed = append(p.changed, name)
		}
		p.params[name] = value
	}
	return nil
}

// text is the value with references resolved.
func (p *plan) text(v script.Value) string {
	if name, isRef := strings.CutPrefix(v.Text, "$"); isRef {
		return p.params[name]
	}
	return v.Text
}

// duration resolves a value of a kind that the parser has checked.
func (p *plan) duration(v script.Value) time.Duration {
	d, err := script.ParseDuration(p.text(v))
	if err != nil {
		panic(fmt.Sprintf("unchecked duration: %v", err))
	}
	return d
}

func (p *plan) optional(v *script.Value) time.Duration {
	if v == nil {
		return 0
	}
	return p.duration(*v)
}

// number is a parameter of the language that is an integer.
func (p *plan) number(name string) int64 { return p.integer(script.Value{Text: p.params[name]}) }

func (p *plan) integer(v script.Value) int64 {
	n, err := strconv.ParseInt(p.text(v), 10, 64)
	if err != nil {
		panic(fmt.Sprintf("unchecked integer: %v", err))
	}
	return n
}

// param is a parameter of the language that is a duration.
func (p *plan) param(name string) time.Duration {
	return p.duration(script.Value{Text: p.params[name]})
}

// applies reports whether something with this condition is part of the variant.
func (p *plan) applies(when []script.Word) bool {
	return len(when) == 0 || slices.ContainsFunc(when, func(w script.Word) bool { return w.Text == p.variant.Name.Text })
}
