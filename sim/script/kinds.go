package script

import (
	"maps"
	"slices"
)

// Kind is a lock implementation that the parameter kind chooses.
type Kind struct {
	Summary string
	// Stores are those that it can live in; none for a lock without a store.
	Stores []string
}

// Kinds are the lock implementations by name. A runner that can build more adds
// them here.
var Kinds = map[string]Kind{
	"local-mutex":               {"a mutex in the memory of each process: no shared lock at all", nil},
	"redis":                     {"the reference: SET NX PX with an owner, compare-and-delete, watchdog", on("redis")},
	"redis/get-then-delete":     {"the owner check and the DEL of the release are two commands", on("redis")},
	"redis/plain-delete":        {"the release is DEL, whoever owns the key", on("redis")},
	"redis/renew-without-owner": {"the renewal is PEXPIRE, whoever owns the key", on("redis")},
	"redis/setnx-expire":        {"SETNX, and the time to live in a second command", on("redis")},
	"redis/unstopped-watchdog":  {"the release does not stop the renewal", on("redis")},
}

func on(stores ...string) []string { return stores }

// references are the kinds that a scenario uses where it names none, by store.
var references = map[string]string{
	"redis": "redis",
}

func kindNames() []string { return slices.Sorted(maps.Keys(Kinds)) }
