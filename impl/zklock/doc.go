// Package zklock is a set of fair locks on ZooKeeper: a mutex, which can be
// re-entered, a read-write lock and a semaphore.
//
// What belongs here: locks whose queue is a ZooKeeper node. What does not: the
// ZooKeeper client (package zkconn) and the wrong ways to do it (package
// antipattern).
//
// # How it works
//
// A lock is a persistent node, and the queue for it are the ephemeral sequential
// nodes below. The one that was made first holds the lock; every other waits for
// the node right before its own to go, and then looks at the queue again. So the
// grants follow the order in which the requests reached ZooKeeper, and a release
// wakes one waiter. This is ZooKeeper's own recipe
// (https://zookeeper.apache.org/doc/r3.8.0/recipes.html#sc_recipes_Locks). On the
// same base path and key, [Mutex] and the Lock of go-zookeeper exclude each other.
//
// The name of a node carries a random id. When the connection breaks and the
// answer to a create is lost, the node is found again by it; without it, it would
// be an orphan that blocks everybody for as long as the session lives.
//
// An uncontended lock and unlock takes 2 + 1 requests: create and list, delete.
//
// # Sessions
//
// A node lives as long as the session that made it. The server ends a session
// from which it has heard nothing for the session timeout (by default between 4
// and 40 s, whatever the client asks for), at the next tick after it. To
// disconnect is not to lose the lock. A holder that cannot reach the server does
// not know when the server gives it up, so it counts for itself: its lease ends
// one session timeout after the last request that was answered had been sent.
// While it holds, it makes such a request every third of the timeout, a sync,
// which only the leader of an ensemble can answer.
//
// All locks of one client share its session. When it expires, all of them are
// lost at once, and the client goes on with a new session.
//
// # The token
//
// The token is the transaction that made the node (its czxid). It grows from
// node to node over the whole ensemble, so it is also larger than that of every
// earlier grant of the same lock.
//
// # What it does not do
//
// The node of a key stays when nobody holds the lock. Where keys are many and
// each is used once, call Forget.
//
// A process that is paused for longer than its session goes on until it looks at
// Done. Where a stale write would do harm, let the resource refuse old tokens;
// see package fencing.
package zklock
