package script

import "slices"

// Store is a kind of backend that a scenario can run on.
type Store struct {
	Entry
	// Commands are the requests whose places faults and expectations can name.
	Commands []string
}

// Stores are the backends that scenarios can run on.
func Stores() []Store {
	return []Store{{
		Entry: Entry{Name: "redis", Example: "store redis",
			Summary: "one Redis server (miniredis) that real go-redis clients talk to"},
		Commands: []string{
			"DEL", "EVAL", "EVALSHA", "EXISTS", "EXPIRE", "GET", "INCR", "PERSIST", "PEXPIRE", "PTTL",
			"PUBLISH", "SET", "SETNX", "SUBSCRIBE", "TTL", "UNSUBSCRIBE",
			"acquire.lua", "release.lua", "renew.lua",
		},
	}}
}

// resourceCommands are the requests that clients send to a resource.
var resourceCommands = []string{"ADD", "READ", "WRITE"}

func storeNames() []string {
	var out []string
	for _, s := range Stores() {
		out = append(out, s.Name)
	}
	return out
}

// commands lists what clients of the named store may send; a store that is not
// known, which is reported elsewhere, has those of all.
func commands(store string) []string {
	out := slices.Clone(resourceCommands)
	for _, s := range Stores() {
		if s.Name == store || !slices.Contains(storeNames(), store) {
			out = append(out, s.Commands...)
		}
	}
	return out
}
