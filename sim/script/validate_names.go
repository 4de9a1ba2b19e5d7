package script

import (
	"slices"
	"strconv"
)

// unique checks that no two things share a name.
func (p *parser) unique() {
	s := p.scn
	params, resources, variants := taken{}, taken{}, taken{}
	for _, set := range s.Params {
		params.add(p, "parameter", set.Name, "")
	}
	for _, v := range s.Variants {
		variants.add(p, "variant", v.Name, "")
	}
	for _, r := range s.Resources {
		resources.add(p, "resource", r.Name, "")
	}
	clients, marks := taken{}, taken{}
	for _, c := range s.Clients {
		clients.addIn(p, "client", c.Name, s.variantsOf(c.When))
		p.laneFree(c.Name)
	}
	for _, m := range s.Marks {
		marks.addIn(p, "mark", m.Name, s.variantsOf(m.When))
	}
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

// addIn takes a name in several variants and complains at most once.
func (n taken) addIn(p *parser, what string, w Word, variants []string) {
	for _, v := range variants {
		if !n.add(p, what, w, v) {
			return
		}
	}
}

// laneFree checks that nothing else on the timeline is called as a client is.
func (p *parser) laneFree(client Word) {
	switch client.Text {
	case none:
		p.fail(client.Pos, "a client cannot be called %q: expectations use the word", none)
	case p.scn.Store.Text:
		p.fail(client.Pos, "client %q is called as the store is", client.Text)
	}
	for _, r := range p.scn.Resources {
		if r.Name.Text == client.Text {
			p.fail(client.Pos, "client %q is called as a resource is", client.Text)
		}
	}
}

// known checks the names of things that are defined on other lines.
func (p *parser) known() {
	kinds := map[useKind]struct {
		directives, names []string
	}{
		useClient:   {[]string{"client"}, p.scn.clientNames()},
		useStore:    {[]string{"store"}, []string{p.scn.Store.Text}},
		useActor:    {[]string{"client", "store"}, append(p.scn.clientNames(), p.scn.Store.Text)},
		useResource: {[]string{"resource"}, p.scn.resourceNames()},
		useVariant:  {[]string{"variant"}, p.scn.variantsOf(nil)},
		useCommand:  {[]string{"store"}, commands(p.scn.Store.Text)},
	}
	for _, u := range p.uses {
		k := kinds[u.kind]
		if p.whole(k.directives...) && !slices.Contains(k.names, u.name.Text) {
			p.fail(u.name.Pos, "%s", unknown(string(u.kind), u.name.Text, k.names))
		}
	}
}

func (s *Scenario) clientNames() []string {
	var out []string
	for _, c := range s.Clients {
		if !slices.Contains(out, c.Name.Text) {
			out = append(out, c.Name.Text)
		}
	}
	return out
}

func (s *Scenario) resourceNames() []string {
	var out []string
	for _, r := range s.Resources {
		out = append(out, r.Name.Text)
	}
	return out
}
