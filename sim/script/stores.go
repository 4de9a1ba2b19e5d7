package script

import (
	"slices"
	"strconv"
)

// Store is a kind of backend that a scenario can run on.
type Store struct {
	Entry
	// Commands are the requests whose places faults and expectations can name.
	Commands []string
	// nodes names the lanes of the store; count gives the value of a parameter
	// that is an integer.
	nodes func(count func(param string) int) []string
}

// Stores are the backends that scenarios can run on.
func Stores() []Store {
	return []Store{
		{
			Entry: Entry{Name: "zookeeper", Example: "store zookeeper",
				Summary: "a ZooKeeper server, or an ensemble of them, whose sessions last for ttl"},
			Commands: []string{"CREATE", "DELETE", "EVENT", "GET", "LIST", "SET", "SYNC"},
			nodes:    zkNodes,
		},
		{
			Entry: Entry{Name: "redis", Example: "store redis",
				Summary: "Redis servers (miniredis) that real go-redis clients talk to"},
			Commands: []string{
				"DEL", "EVAL", "EVALSHA", "EXISTS", "EXPIRE", "GET", "INCR", "MESSAGE", "PERSIST", "PEXPIRE", "PTTL",
				"PUBLISH", "SET", "SETNX", "SUBSCRIBE", "TTL", "UNSUBSCRIBE", "WAIT",
				"acquire.lua", "release.lua", "renew.lua", "fair_acquire.lua", "fair_release.lua",
				"hold_renew.lua", "latch_count.lua", "latch_look.lua", "latch_set.lua",
				"reentrant_acquire.lua", "reentrant_release.lua", "reentrant_renew.lua",
				"rw_acquire.lua", "rw_release.lua", "semaphore_acquire.lua", "semaphore_release.lua",
			},
			nodes: redisNodes,
		},
		{
			Entry: Entry{Name: "etcd", Example: "store etcd",
				Summary: "one etcd member, a model that is checked against the real one"},
			Commands: []string{"DELETE", "EVENT", "GET", "GRANT", "KEEPALIVE", "NEWEST", "PUT", "REVOKE", "TXN", "WATCH"},
			nodes:    oneNode("etcd"),
		},
		{
			Entry: Entry{Name: "consul", Example: "store consul",
				Summary: "one Consul server in the process that the real Consul client talks to; GET after an index is a blocking query"},
			Commands: []string{"ACQUIRE", "CREATE", "DELETE", "DESTROY", "GET", "PUT", "RELEASE", "RENEW", "TXN"},
			nodes:    oneNode("consul"),
		},
		{
			Entry: Entry{Name: "mysql", Example: "store mysql",
				Summary: "a model of the transactions and row locks of InnoDB, at REPEATABLE READ, that is checked against the real one"},
			Commands: rowCommands,
			nodes:    oneNode("mysql"),
		},
		{
			Entry: Entry{Name: "postgres", Example: "store postgres",
				Summary: "a model of PostgreSQL at READ COMMITTED that is checked against the real one: its row locks for kind=rowlock, and for other kinds what transactions see of each other, at the chosen isolation"},
			Commands: rowCommands,
			nodes:    oneNode("postgres"),
		},
		{
			Entry: Entry{Name: "sqlite", Example: "store sqlite",
				Summary: "the real SQLite, in memory, that clients talk to through database/sql, with locks in a table"},
			Commands: []string{"BEGIN", "COMMIT", "DELETE", "INSERT", "ROLLBACK", "SELECT", "UPDATE"},
			nodes:    oneNode("sqlite"),
		},
	}
}

// redisNodes are independent servers, or a primary with its replicas and
// sentinels.
func redisNodes(count func(string) int) []string {
	if n := count("nodes"); n > 1 {
		return series("n", n)
	}
	if count("replicas") == 0 {
		return []string{"redis"}
	}
	out := []string{"primary"}
	if n := count("replicas"); n > 1 {
		out = append(out, series("replica", n)...)
	} else {
		out = append(out, "replica")
	}
	return append(out, series("s", count("sentinels"))...)
}

// oneNode is a store that has a single lane.
func oneNode(name string) func(func(string) int) []string {
	return func(func(string) int) []string { return []string{name} }
}

// series is name1, name2, … up to n.
func series(name string, n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = name + strconv.Itoa(i+1)
	}
	return out
}

// rowCommands are the statements of databases whose transactions lock rows.
var rowCommands = []string{"BEGIN", "COMMIT", "DELETE", "INSERT", "RELEASE", "ROLLBACK", "SAVEPOINT", "SELECT", "SET", "START", "UPDATE"}

// resourceCommands are the requests that clients send to a resource.
var resourceCommands = []string{"ADD", "CHECK", "READ", "WRITE"}

func storeNames() []string {
	var out []string
	for _, s := range Stores() {
		out = append(out, s.Name)
	}
	return out
}

// commands lists what clients of the named stores may send; where one is not
// known, which is reported elsewhere, that is what clients of all may.
func commands(stores []string) []string {
	out := slices.Clone(resourceCommands)
	unknown := slices.ContainsFunc(stores, func(s string) bool { return !slices.Contains(storeNames(), s) })
	for _, s := range Stores() {
		if unknown || slices.Contains(stores, s.Name) {
			out = append(out, s.Commands...)
		}
	}
	return out
}

// zkNodes are the servers of an ensemble.
func zkNodes(count func(string) int) []string {
	if n := count("servers"); n > 1 {
		return series("zk", n)
	}
	return []string{"zookeeper"}
}
