// Package consullock is a lock on Consul: a session, and keys that it holds.
//
// What belongs here: [Mutex] and [Semaphore] on the official client of
// github.com/hashicorp/consul/api. What does not: a Consul server (package
// embedded/consul), and the mistakes that the lessons show (package
// antipattern).
//
// # How it works
//
// A Locker has one session, created with the first grant and renewed by a
// watchdog at a third of its TTL until Close. A lock is a key that the session
// holds. It is taken in one transaction: "the key does not exist" (or "is still
// the free key that I saw"), and "lock it". It is freed in another one: "the key
// still has the index of my grant", and "delete it". So an uncontended lock and
// unlock is 1 + 1 requests.
//
// The plain way, PUT ?acquire=session and PUT ?release=session, is not used,
// because a session is a process and not a grant. Consul grants a key again to
// the session that holds it: two goroutines would both get the lock. And a
// release that arrives late, or is repeated because its answer was lost, would
// free whatever the session holds by then. The conditions of the transactions
// name the grant instead, and each grant writes a random owner as the value, by
// which it finds out what became of a request without an answer.
//
// Waiters look at the key with blocking queries. Consul wakes all of them, and
// one gets the lock: there is no order among them.
//
// # When a holder dies
//
// The server ends the session between one and two TTLs after its last renewal,
// and then keeps its keys from everybody for the lock-delay, 15 s by default.
// The holder itself counts its leases as lost one TTL after the last renewal
// that succeeded was sent. A holder that is only paused comes back to a lease
// that has ended, and if the pause was shorter than TTL and lock-delay together,
// to a lock that nobody else has had. For longer pauses there is the token.
//
// Sessions are created without health checks. With Consul's default, the check
// serfHealth of the node, a flap of the gossip would end all of its locks at
// once, and no local deadline can foresee that. An operator who destroys the
// session or deletes the key is noticed with the next renewal, before the
// lock-delay is over, or by Renew.
//
// # The token
//
// The token is the ModifyIndex of the key at the grant: the place of the grant
// in the replicated log of the cluster, which only grows. LockIndex does not do:
// it counts the acquisitions in one life of the key, and starts again when the
// key is deleted (as a session with BehaviorDelete does) or written plainly. The
// log goes back only when the cluster is built anew from an old snapshot, and
// then tokens do too.
//
// # What it costs
//
// Besides the requests for the grants: one renewal in a third of the TTL for
// each Locker, held locks or not, and one request in Config.Wait for each
// waiter. Writes go through Raft, so a lock costs two commits by a majority.
package consullock
