package script

import (
	"maps"
	"slices"
)

// roster is who there is in every variant, found out once for all checks: a herd
// has a thousand clients.
type roster struct {
	members [][]Member // of each variant, in the order of the file
	clients []string   // of all variants, each once
	nodes   []string   // that the stores can have in any variant, each once
}

func newRoster(s *Scenario) *roster {
	r := &roster{}
	defaults := defaultsOf(s.Parameters())
	clients, nodes := nameSet{}, nameSet{}
	for i := range s.Variants {
		v := &s.Variants[i]
		params := v.over(defaults)
		members := s.Members(v.Name.Text, params)
		r.members = append(r.members, members)
		for _, m := range members {
			r.clients = clients.add(r.clients, m.Name)
		}
		for _, st := range s.Stores {
			for _, n := range NodesOf(st.Text, counts(params)) {
				r.nodes = nodes.add(r.nodes, n)
			}
		}
	}
	return r
}

// nameSet is what a list has already.
type nameSet map[string]bool

// add appends a name that list does not have yet.
func (s nameSet) add(list []string, name string) []string {
	if s[name] {
		return list
	}
	s[name] = true
	return append(list, name)
}

// hasNode reports whether a lane of some store is called so.
func (r *roster) hasNode(name string) bool { return slices.Contains(r.nodes, name) }

// cast tells who takes part in which variant.
type cast map[string]map[string]*Client // by client, then by variant

func (r *roster) cast(variants []Variant) cast {
	out := cast{}
	for i, members := range r.members {
		for _, m := range members {
			if out[m.Name] == nil {
				out[m.Name] = map[string]*Client{}
			}
			out[m.Name][variants[i].Name.Text] = m.Client
		}
	}
	return out
}

// defaultsOf is the value of every parameter where no variant changes it.
func defaultsOf(params []Param) map[string]string {
	out := map[string]string{}
	for _, p := range params {
		out[p.Name] = p.Default
	}
	return out
}

// over is the value of every parameter in the variant.
func (v *Variant) over(defaults map[string]string) map[string]string {
	out := maps.Clone(defaults)
	for _, set := range v.Set {
		out[set.Name.Text] = set.Value.Text
	}
	return out
}
