package script

// Invariants are the properties that a run can be judged by.
func Invariants() []Entry {
	return []Entry{
		{Name: "mutual-exclusion", Summary: "no two clients believe at the same time that they hold the lock"},
		{Name: "one-at-work", Summary: "no two clients do their work under the lock at the same time"},
		{Name: "only-owner-releases", Summary: "a lock leaves the store by its owner's release or by expiry, not through another client"},
		{Name: "only-owner-renews", Summary: "nobody but its owner prolongs a lease"},
		{Name: "eventual-release", Summary: "a lock whose holder is gone becomes free within the parameter bound"},
		{Name: "no-stale-write", Summary: "a resource accepts no write of an older grant after one of a newer grant"},
		{Name: "no-oversell", Summary: "no resource falls below its min"},
		{Name: "tokens-grow", Summary: "the fencing token of a grant is larger than those of all earlier grants"},
		{Name: "nothing-left-behind", Summary: "at the end there is no key, waiter or task of the lock left"},
	}
}
