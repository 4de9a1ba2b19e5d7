package script

import "github.com/lockstep-sim/lockstep/sim/check"

// Invariants are the properties that a run can be judged by: those that package
// check knows.
func Invariants() []Entry {
	var out []Entry
	for _, i := range check.All() {
		out = append(out, Entry{Name: i.Name, Summary: i.Summary})
	}
	return out
}

// defaultInvariants are those that apply without a check line.
func defaultInvariants() []string {
	var out []string
	for _, i := range check.All() {
		if i.Default {
			out = append(out, i.Name)
		}
	}
	return out
}
