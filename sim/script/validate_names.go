package script

import (
	"slices"
	"strconv"
)

// unique checks that no two things share a name.
func (p *parser) unique() {
	s := p.scn
	params, resources, variants := taken{}, taken{}, taken{}
	// What is there twice or beyond the limit goes, so that the checks behind
	// this one have little to look through.
	s.Params = slices.DeleteFunc(s.Params, func(set Setting) bool {
		return !params.add(p, "parameter", set.Name, "") || p.tooMany("param", len(params), MaxParams, set.Name.Pos)
	})
	s.Variants = slices.DeleteFunc(s.Variants, func(v Variant) bool {
		return !variants.add(p, "variant", v.Name, "") || p.tooMany("variant", len(variants), MaxVariants, v.Name.Pos)
	})
	p.roster = newRoster(s)
	for _, r := range s.Resources {
		resources.add(p, "resource", r.Name, "")
		p.laneFree("resource", r.Name)
	}
	marks := taken{}
	p.uniqueClients(resources)
	for _, m := range s.Marks {
		marks.addIn(p, "mark", m.Name, s.variantsOf(m.When))
	}
}

// uniqueClients checks the names of clients, each complaint once.
func (p *parser) uniqueClients(resources taken) {
	clients, complained := taken{}, map[*Client]bool{}
	for i, members := range p.roster.members {
		for _, m := range members {
			if complained[m.Client] {
				continue
			}
			before := len(p.errs)
			w := Word{Text: m.Name, Pos: m.Client.Name.Pos}
			clients.add(p, "client", w, p.scn.Variants[i].Name.Text)
			if i == 0 || !applies(m.When, p.scn.Variants[0].Name.Text) {
				p.laneFree("client", w)
				if resources.has(m.Name) {
					p.fail(w.Pos, "client %q is called as a resource is", m.Name)
				}
			}
			complained[m.Client] = len(p.errs) > before
		}
	}
}

// tooMany reports whether the nth line of a directive is beyond the limit, and
// complains about the first that is.
func (p *parser) tooMany(directive string, n, limit int, pos Pos) bool {
	if n == limit+1 {
		p.fail(pos, "more than %d of %q", limit, directive)
		p.broken[directive] = true
	}
	return n > limit
}

// taken are the names that are in use, each with the variant that it is taken in.
type taken map[[2]string]Pos

// add takes a name and complains if it is taken already.
func (n taken) add(p *parser, what string, w Word, variant string) bool {
	key := [2]string{w.Text, variant}
	first, used := n[key]
	if !used {
		n[key] = w.Pos
		return true
	}
	in := ""
	if variant != "" {
		in = " in variant " + strconv.Quote(variant)
	}
	p.fail(w.Pos, "%s %q is defined twice%s: first on line %d", what, w.Text, in, first.Line)
	return false
}

// has reports whether a name is taken in all variants.
func (n taken) has(name string) bool {
	_, used := n[[2]string{name, ""}]
	return used
}

// addIn takes a name in several variants and complains at most once.
func (n taken) addIn(p *parser, what string, w Word, variants []string) {
	for _, v := range variants {
		if !n.add(p, what, w, v) {
			return
		}
	}
}

// laneFree checks that a lane of the timeline is called as nothing else is.
func (p *parser) laneFree(what string, w Word) {
	switch {
	case w.Text == none:
		p.fail(w.Pos, "a %s cannot be called %q: expectations use the word", what, none)
	case p.roster.hasNode(w.Text):
		p.fail(w.Pos, "%s %q is called as the store is", what, w.Text)
	}
}

// known checks the names of things that are defined on other lines.
func (p *parser) known() {
	clients, nodes := p.roster.clients, p.roster.nodes
	kinds := map[useKind]vocabulary{
		useClient:   newVocabulary(clients, "client"),
		useStore:    newVocabulary(nodes, "store", "variant", "param"),
		useActor:    newVocabulary(slices.Concat(clients, nodes), "client", "store", "variant", "param"),
		useResource: newVocabulary(p.scn.resourceNames(), "resource"),
		useLock:     newVocabulary(texts(p.scn.Locks), "lock"),
		useVariant:  newVocabulary(p.scn.variantsOf(nil), "variant"),
		useCommand:  newVocabulary(commands(texts(p.scn.Stores)), "store"),
	}
	for _, u := range p.uses {
		k := kinds[u.kind]
		if p.whole(k.directives...) && !k.has[u.name.Text] {
			p.unknown(u.name.Pos, string(u.kind), u.name.Text, k.names)
		}
	}
}

// vocabulary is what can be referred to, and the directives that define it.
type vocabulary struct {
	names      []string
	has        map[string]bool
	directives []string
}

func newVocabulary(names []string, directives ...string) vocabulary {
	has := map[string]bool{}
	for _, n := range names {
		has[n] = true
	}
	return vocabulary{names: names, has: has, directives: directives}
}

func (s *Scenario) resourceNames() []string {
	var out []string
	for _, r := range s.Resources {
		out = append(out, r.Name.Text)
	}
	return out
}
