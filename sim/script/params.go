package script

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Param is a parameter of a scenario: one of the language's own, or one that the
// scenario declares.
type Param struct {
	Name    string
	Type    Type
	Choices []string // TypeChoice: the words it may be
	Default string
	Least   time.Duration // TypeDuration: the shortest value
	Summary string
	// Declared tells that the scenario has a param line for it, which is what
	// makes it open to changes from outside.
	Declared bool
}

// Params are the parameters that every scenario has, declared or not.
func Params() []Param {
	return []Param{
		{Name: "latency", Type: TypeDuration, Default: "1ms",
			Summary: "the way of a message in one direction"},
		{Name: "ttl", Type: TypeDuration, Default: "30s", Least: least["ttl"],
			Summary: "the time to live of a lease"},
		{Name: "renew", Type: TypeChoice, Choices: []string{"on", "off"}, Default: "on",
			Summary: "whether a watchdog renews leases, every third of their time to live"},
		{Name: "fencing", Type: TypeChoice, Choices: []string{"on", "off"}, Default: "off",
			Summary: "whether a grant brings a fencing token"},
		{Name: "first-token", Type: TypeInteger, Default: "1",
			Summary: "the fencing token of the first grant: how many there were before, plus one"},
		{Name: "kind", Type: TypeChoice, Choices: kindNames(), Default: "redis",
			Summary: "the lock implementation that the clients use"},
		{Name: "store", Type: TypeChoice, Choices: append([]string{anyStore}, storeNames()...), Default: anyStore,
			Summary: "the store, where the kind of lock can live in several; any: the first one of the store line that it can live in"},
		{Name: "reentry", Type: TypeChoice, Choices: []string{"on", "off"}, Default: "off",
			Summary: "whether all grants of a client have one owner, so that a lock that knows re-entry lets it in again"},
		{Name: "permits", Type: TypeInteger, Default: "1",
			Summary: "how many can hold a semaphore at a time"},
		{Name: "servers", Type: TypeInteger, Default: "1",
			Summary: "ZooKeeper: how many servers the ensemble has, zk1, zk2, …"},
		{Name: "sequence", Type: TypeInteger, Default: "0",
			Summary: "ZooKeeper: how many nodes the queue has seen before: the number of the next one"},
		{Name: "wrap", Type: TypeChoice, Choices: []string{"sticks", "signed"}, Default: "sticks",
			Summary: "ZooKeeper: what sequence numbers do after 2147483647: stay there, as version 3.8 does, or go on below zero"},
		{Name: "nodes", Type: TypeInteger, Default: "1",
			Summary: "how many independent servers there are, n1, n2, …"},
		{Name: "replicas", Type: TypeInteger, Default: "0",
			Summary: "how many replicas copy the primary"},
		{Name: "sentinels", Type: TypeInteger, Default: "0",
			Summary: "how many sentinels watch the primary, s1, s2, …"},
		{Name: "lag", Type: TypeDuration, Default: "100ms",
			Summary: "Redis: how much later than the primary a replica carries out a write"},
		{Name: "wait", Type: TypeInteger, Default: "1",
			Summary: "Redis: how many replicas WAIT asks for, where the kind of lock sends it"},
		{Name: "min-replicas", Type: TypeInteger, Default: "0",
			Summary: "Redis: min-replicas-to-write, without which a primary refuses writes"},
		{Name: "max-lag", Type: TypeDuration, Default: "10s",
			Summary: "Redis: min-replicas-max-lag, how long a replica counts after it was last heard of"},
		{Name: "down-after", Type: TypeDuration, Default: "30s",
			Summary: "Redis: how long a sentinel hears nothing of the primary before it takes it for down, its down-after-milliseconds"},
		{Name: "fsync", Type: TypeChoice, Choices: []string{"no-log", "everysec", "always"}, Default: "no-log",
			Summary: "Redis: when the append-only log reaches the disk, its appendfsync; no-log: there is none"},
		{Name: "request-timeout", Type: TypeDuration, Default: "0s",
			Summary: "Redis: how long a lock waits for the answer to one request; 0s: what the kind of lock has by default"},
		{Name: "resource", Type: TypeChoice, Choices: []string{"plain", "fenced", "fenced-by-grant", "check-then-write", "etcd", "etcd-guarded", "versioned", "unversioned", "version-elsewhere", "upsert", "stock"}, Default: "plain",
			Summary: "what the resources make of the token of a write: plain ones ignore it, fenced ones refuse an old one, fenced-by-grant also the same one from another grant, check-then-write asks for it in a request of its own; " +
				"etcd keeps them as keys beside the lock, etcd-guarded writes those under the condition that the lock's key exists; " +
				"in a database, versioned rows are written under the condition of their version, unversioned ones without, version-elsewhere checks the version of another row, upsert inserts or overwrites, and stock is for databases with row locks"},
		{Name: "defence", Type: TypeChoice, Choices: []string{"none", "unique", "conditional", "idempotency"}, Default: "none",
			Summary: "what keeps likes right beside the lock: nothing, a unique index, a conditional update, or the key of the request"},
		{Name: "order", Type: TypeChoice, Choices: []string{"outside", "inside", "declarative", "early-snapshot"}, Default: "outside",
			Summary: "lock and transaction of lock-and-like: the lock outside, which is right; released inside the transaction, written out or by an annotation; " +
				"or right but for a snapshot that is older than the grant"},
		{Name: "key-per", Type: TypeChoice, Choices: []string{"post", "user", "joined"}, Default: "user",
			Summary: "the key of press: one for each post, one for each post and user, or the latter with the parts joined as they are"},
		{Name: "isolation", Type: TypeChoice, Choices: []string{"read-committed", "repeatable-read"}, Default: "read-committed",
			Summary: "what transactions of postgres see: what is committed at each statement, or at the first one"},
		{Name: "pool", Type: TypeInteger, Default: "0",
			Summary: "databases with row locks: how many connections the clients have together; 0: as many as they want"},
		{Name: "index", Type: TypeChoice, Choices: []string{"on", "off"}, Default: "on",
			Summary: "databases with row locks: whether an index leads to the rows of the stock"},
		{Name: "coupons", Type: TypeInteger, Default: "0",
			Summary: "databases with row locks: how many coupons there are to take"},
		{Name: "idle-timeout", Type: TypeDuration, Default: "0s",
			Summary: "databases with row locks: how long a transaction may be idle before the server ends it, idle_in_transaction_session_timeout; 0s: for ever"},
		{Name: "poll", Type: TypeDuration, Default: "15s", Least: least["poll"],
			Summary: "the longest time between two looks at a lock that is waited for, should no notification come"},
		{Name: "lock-delay", Type: TypeDuration, Default: "15s",
			Summary: "Consul: how long a key is kept from everybody when the session that held it has been invalidated; 0s: not at all"},
		{Name: "delay-poll", Type: TypeDuration, Default: "1s", Least: least["poll"],
			Summary: "Consul: the time between two attempts on a key in its lock-delay"},
		{Name: "behavior", Type: TypeChoice, Choices: []string{"release", "delete"}, Default: "release",
			Summary: "Consul: what becomes of the keys of a session that is invalidated"},
		{Name: "min-ttl", Type: TypeDuration, Default: "10s", Least: least["ttl"],
			Summary: "Consul: the shortest time to live of a session that the server takes, its session_ttl_min"},
		{Name: "bound", Type: TypeDuration, Default: "1m", Least: least["bound"],
			Summary: "how long a lock may stay taken after its holder is gone, and how long other things may last that invariants put a bound on"},
	}
}

// Check says what is wrong with value as a value of this parameter.
func (p Param) Check(value string) error {
	if p.Type == TypeChoice && !slices.Contains(p.Choices, value) {
		return errors.New(unknown("value of "+p.Name, value, p.Choices))
	}
	if err := p.Type.check(value); err != nil {
		return fmt.Errorf("%s: %w", p.Name, err)
	}
	if p.Type != TypeDuration {
		return nil
	}
	if err := checkLeast(value, p.Least); err != nil {
		return fmt.Errorf("%s: %w", p.Name, err)
	}
	return nil
}

// Parameters lists what applies to the scenario: the parameters of its own, and
// those of the language with the values that the scenario gives them.
func (s *Scenario) Parameters() []Param {
	all := Params()
	if len(s.Stores) > 0 {
		i := slices.IndexFunc(all, isNamed("kind"))
		if kind, ok := references[s.Stores[0].Text]; ok {
			all[i].Default = kind
		}
	}
	for _, set := range s.Params {
		i := slices.IndexFunc(all, func(p Param) bool { return p.Name == set.Name.Text })
		if i < 0 {
			t, err := typeOf(set.Value.Text)
			if err != nil {
				continue // Parse does not let this pass
			}
			all = append(all, Param{Name: set.Name.Text, Type: t})
			i = len(all) - 1
		}
		all[i].Default, all[i].Declared = set.Value.Text, true
	}
	for i, p := range all {
		all[i].Least = max(p.Least, s.least[p.Name])
	}
	return all
}

// CheckSetting says what is wrong with setting a parameter from outside to
// value: only what the scenario declares can be set, to a value of its type.
func (s *Scenario) CheckSetting(name, value string) error {
	var declared []string
	for _, p := range s.Parameters() {
		if p.Declared && p.Name == name {
			return p.Check(value)
		}
		if p.Declared {
			declared = append(declared, p.Name)
		}
	}
	if slices.ContainsFunc(Params(), func(p Param) bool { return p.Name == name }) {
		return fmt.Errorf("parameter %q is not declared by this scenario, which declares: %s",
			name, strings.Join(declared, ", "))
	}
	return errors.New(unknown("parameter", name, declared))
}
