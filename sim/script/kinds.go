package script

import (
	"maps"
	"slices"
)

// Kinds are the lock implementations that the parameter kind chooses from, with
// what each one is. A runner that can build more adds them here.
var Kinds = map[string]string{
	"local-mutex":               "a mutex in the memory of each process: no shared lock at all",
	"redis":                     "the reference: SET NX PX with an owner, compare-and-delete, watchdog",
	"redis/get-then-delete":     "the owner check and the DEL of the release are two commands",
	"redis/plain-delete":        "the release is DEL, whoever owns the key",
	"redis/renew-without-owner": "the renewal is PEXPIRE, whoever owns the key",
	"redis/setnx-expire":        "SETNX, and the time to live in a second command",
	"redis/unstopped-watchdog":  "the release does not stop the renewal",
}

func kindNames() []string { return slices.Sorted(maps.Keys(Kinds)) }
