package script

import "slices"

// StoreOf is the store that a variant runs on, given the value of every
// parameter that is set: the one that is named, or the first of the scenario's
// stores that the kind of lock can live in. It is empty for a lock without a
// store.
func (s *Scenario) StoreOf(params map[string]string) string {
	kind := Kinds[params["kind"]]
	if named := params["store"]; named != "" && named != anyStore && len(kind.Stores) > 0 {
		return named
	}
	for _, st := range s.Stores {
		if slices.Contains(kind.Stores, st.Text) {
			return st.Text
		}
	}
	return ""
}

// anyStore is the value of the parameter store where the kind of lock decides.
const anyStore = "any"

// NodesOf names the lanes of a store, in order. count gives the value of a
// parameter that is an integer.
func NodesOf(store string, count func(param string) int) []string {
	for _, s := range Stores() {
		if s.Name != store {
			continue
		}
		if s.nodes == nil {
			return []string{store}
		}
		return s.nodes(count)
	}
	return nil
}

// ParamsOf is the value of every parameter in a variant.
func (s *Scenario) ParamsOf(v *Variant) map[string]string {
	return v.over(defaultsOf(s.Parameters()))
}

// counts reads parameters that are small numbers; what is none, which is
// reported where it is set, counts as 0.
func counts(params map[string]string) func(string) int {
	return func(name string) int {
		n, err := parseInteger(params[name])
		if err != nil {
			return 0
		}
		return int(max(0, min(n, maxNodes)))
	}
}

// maxNodes bounds the nodes of a store: more are no help to a learner.
const maxNodes = 9
