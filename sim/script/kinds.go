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
	"zookeeper":                    {"the reference: ephemeral sequential nodes, each waits for the one before it", on("zookeeper")},
	"zookeeper/herd":               {"every waiter watches the holder's node", on("zookeeper")},
	"zookeeper/immortal-session":   {"the holder takes its session to live for ever", on("zookeeper")},
	"zookeeper/numeric-order":      {"the queue is sorted by the numbers in the names", on("zookeeper")},
	"zookeeper/one-node":           {"all contend for one ephemeral node, without a queue", on("zookeeper")},
	"zookeeper/predecessor-gone":   {"a waiter whose predecessor has gone takes the lock without looking again", on("zookeeper")},
	"zookeeper/replaced-key":       {"characters of the key that do not suit a path are replaced", on("zookeeper")},
	"zookeeper/unprotected-create": {"a create whose answer is lost is made again", on("zookeeper")},
	"zookeeper/watch-gap":          {"the queue is not looked at again after the watch is set", on("zookeeper")},
	"consul":                       {"the reference: a session, and keys that it holds, taken and freed in transactions on the state that was seen", on("consul")},
	"consul/session-owner":         {"the session is the owner: PUT ?acquire and PUT ?release, with one session for the whole process", on("consul")},
	"consul/stuck-index":           {"a waiter keeps the largest index that it has seen", on("consul")},
	"etcd":                         {"the reference: a queue of keys by create revision, each waiter watches the one before its own", on("etcd")},
	"etcd/granted-without-key":     {"a waiter takes the absence of others for its turn, and does not look for its own key", on("etcd")},
	"etcd/herd":                    {"one key that all waiters watch", on("etcd")},
	"etcd/ignore-keepalive":        {"keep-alives are sent, and nobody looks at what becomes of them", on("etcd")},
	"etcd/unconditional-delete":    {"the release is a deletion, whoever created the key", on("etcd")},
	"etcd/watch-gap":               {"refused, it opens a watch and does not look again", on("etcd")},
	"etcd/watch-past":              {"refused, it watches from the revision after the refusal", on("etcd")},
	"local-mutex":                  {"a mutex in the memory of each process: no shared lock at all", nil},
	"redis":                        {"the reference: SET NX PX with an owner, compare-and-delete, watchdog", on("redis")},
	"redis/get-then-delete":        {"the owner check and the DEL of the release are two commands", on("redis")},
	"redis/polling":                {"a waiter asks again after every poll interval, and is told nothing", on("redis")},
	"redis/plain-delete":           {"the release is DEL, whoever owns the key", on("redis")},
	"redis/multi":                  {"all locks of the scenario at once, where the first one is asked for: all of them or none", on("redis")},
	"redis/multi-kept":             {"the same, but what has been granted is kept when the next one is not", on("redis")},
	"redis/redlock":                {"the lock counts where a majority of independent servers grant it", on("redis")},
	"redis/replicated":             {"a grant counts once WAIT says that replicas have it", on("redis")},
	"redis/renew-without-owner":    {"the renewal is PEXPIRE, whoever owns the key", on("redis")},
	"redis/setnx-expire":           {"SETNX, and the time to live in a second command", on("redis")},
	"redis/token-read-later":       {"a write takes its token from the shared counter, not from the grant", on("redis")},
	"redis/read-write":             {"readers share, a writer excludes; an upgrade is an error", on("redis")},
	"redis/upgrade-as-stranger":    {"a reader that asks to write is taken for somebody else", on("redis")},
	"redis/semaphore":              {"as many holders as there are permits, each with its own end", on("redis")},
	"redis/counted-permits":        {"a number of taken permits: that of a dead holder never comes back", on("redis")},
	"redis/latch":                  {"a count-down latch: many wait until it has been counted down", on("redis")},
	"redis/reentrant":              {"a hash of owner and hold count: its owner can enter again", on("redis")},
	"redis/fair":                   {"a queue beside the lock, with a deadline for each waiter", on("redis")},
	"redis/unstopped-watchdog":     {"the release does not stop the renewal", on("redis")},
	"mysql/expiry-first":           {"the take-over assigns the expiry before the owner, and MySQL assigns from left to right", on("mysql")},
	"postgres":                     {"the reference: a row with an owner and an expiry, as on sqlite", on("postgres")},
	"rowlock":                      {"the reference: a row that a transaction keeps locked for as long as it lasts", on("postgres", "mysql")},
	"sqlite":                       {"the reference: a row with an owner and an expiry, taken, renewed and freed by one statement each", on("sqlite")},
	"sqlite/application-clock":     {"the client's clock decides what has expired", on("sqlite")},
	"sqlite/insert-only":           {"a row that is inserted and deleted, without an expiry", on("sqlite")},
	"sqlite/record":                {"the lock record: a transaction reads the row, writes the owner and commits; an owner of its own for each grant", on("sqlite")},
	"sqlite/release-by-commit":     {"the lock record, with the end of a transaction taken for the release", on("sqlite")},
	"sqlite/shared-owner":          {"the lock record, with one owner for all clients of a service: A for A1 and A2", on("sqlite")},
	"sqlite/release-without-owner": {"the release asks for the name only", on("sqlite")},
	"sqlite/two-step-clean-up":     {"the clean-up looks for expired rows and then deletes them by name", on("sqlite")},
}

func on(stores ...string) []string { return stores }

// references are the kinds that a scenario uses where it names none, by store.
var references = map[string]string{
	"zookeeper": "zookeeper",
	"consul":    "consul",
	"etcd":      "etcd",
	"mysql":     "rowlock",
	"postgres":  "postgres",
	"redis":     "redis",
	"sqlite":    "sqlite",
}

func kindNames() []string { return slices.Sorted(maps.Keys(Kinds)) }
