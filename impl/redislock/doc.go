// Package redislock has distributed locks on Redis: leases, renewed in the
// background, with fencing tokens where asked for and possible.
//
//   - [Mutex]: one owner at a time; the one to use unless another is needed
//   - [Replicated]: the same, where replicas must have the grant before it counts
//   - [Reentrant]: the owner may enter again
//   - [Fair]: owners come in the order of their arrival
//   - [ReadWrite]: any number of readers, or one writer
//   - [Semaphore]: a number of owners at a time
//   - [Redlock]: one owner at a time, by a majority of independent servers
//   - [Latch]: not a lock, but a count that many wait for
//
// Several locks at once are a matter of lock.Multi.
//
// What belongs here: locks whose state lives in one Redis (or in one primary
// with its replicas, or one slot of a cluster), and Redlock. What does not: the
// wrong ways to do it, which package antipattern keeps for teaching.
//
// # How it works
//
// The other kinds are variations of the mutex. Its lock is a key, whose value is a
// random owner and whose TTL is the lease. It is granted by one SET with NX and PX, released by a script that deletes the key
// if the owner is still in it, and prolonged by a script that does the same with
// PEXPIRE (https://redis.io/docs/latest/develop/use/patterns/distributed-locks/).
// A release is announced on a channel, to which a waiting Acquire subscribes. A
// message that is lost delays a waiter by no more than what is left of the
// holder's lease.
//
// # What it does not do
//
// Redis replicates asynchronously: a failover can lose a lock that was granted,
// and two holders can then exist. A process that is paused for longer than its
// lease goes on until it looks at Done. Where a stale write would do harm, set
// Config.Fencing and let the resource refuse old tokens; see package fencing.
//
// Waiters are not served in the order of their arrival, but by [Fair].
//
// # The client
//
// Every request is bounded by Config.RequestTimeout. go-redis observes that bound
// only with Options.ContextTimeoutEnabled; without it, its own ReadTimeout and
// WriteTimeout apply. No request is repeated by go-redis, whatever MaxRetries
// says: an attempt that was granted, with only the answer lost, would seem to be
// refused when it is sent again.
//
// A waiting Acquire takes one connection outside the pool for as long as it
// waits.
package redislock
