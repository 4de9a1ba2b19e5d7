// Package consul is a small Consul server inside the process: sessions, the
// key/value store, transactions and blocking queries, enough to run locks on.
//
// It has two layers. [Store] is the state of the server: a state machine on a
// clock.Clock, without goroutines, that a simulator can drive directly. The
// HTTP API over it is served by [Server] on a loopback port, or without any
// network by [Transport], so that the unmodified client of
// github.com/hashicorp/consul/api works against both, its own Lock and
// Semaphore included.
//
// What belongs here: what such a client can observe of a Consul server when it
// locks. What does not: anything about how a lock uses it (package consullock).
//
// # Where it follows the real server
//
//   - The TTL of a session is a lower bound. The session ends at twice its TTL
//     after its creation or last renewal ([Options.TTLMultiplier] changes that),
//     and by the documentation at any time from one TTL on.
//   - A lock-delay starts for every key that a session held when it was
//     invalidated, by expiry or by being destroyed. It is checked before a
//     transaction is applied, so a refusal by it changes nothing.
//   - A key that is acquired again by the session that holds it is granted
//     again. LockIndex counts the acquisitions of one life of a key: deleting
//     the key, and a plain write to it, start it again. ModifyIndex is the index
//     of the replicated log and grows over all of them.
//   - A write that changes nothing keeps the ModifyIndex of the key, but not
//     the place in the log: a refused write takes up an index too.
//   - A blocking query returns when the index of its answer exceeds the given
//     one, and at the latest after wait plus up to a sixteenth of wait. Wait is
//     5 minutes by default and 10 minutes at most.
//   - The index of a key is its ModifyIndex; of a missing key that of the last
//     write to any key; of a list that of its youngest key or deletion.
//   - [Store.Restore] puts back an older snapshot, as into a rebuilt cluster:
//     indexes go backwards, and queries that are blocked return at once.
//
// # What is not supported
//
//   - One server: no Raft, no leader election, no stale reads. The parameters
//     stale and consistent are accepted and make no difference.
//   - ACLs: every token is accepted and ignored.
//   - Namespaces, partitions, peers and other datacenters: refused.
//   - The catalog, health checks and services: a session may name the node of
//     this server and its check serfHealth, which never fails.
//   - Transactions on anything but keys.
//   - Filters, cached and hash-based queries, streaming, events, snapshots over
//     HTTP, prepared queries, the agent's other endpoints, the UI, DNS and RPC.
//   - Persistence: everything is in memory and gone with the Store.
package consul
