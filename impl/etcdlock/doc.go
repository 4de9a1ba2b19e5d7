// Package etcdlock is a fair lock on etcd: a queue of keys, ordered by create
// revision, each bound to a lease.
//
// Every acquisition puts one key of its own under the lock's name, in one
// transaction that also reads who is ahead. The oldest key holds the lock; every
// other waits for the key just before its own to go, so a release wakes one
// waiter. The create revision of the key is the fencing token.
//
// A [Locker] keeps one etcd lease (its session) for all its grants and renews it
// in the background, so that an uncontended lock costs one request and an unlock
// one more. A grant ends when it is released, when etcd says that its key or the
// session is gone, or when the local deadline of the session passes without a
// renewal, whichever comes first.
//
// The queue is that of etcd's own concurrency.Mutex and of "etcdctl lock": on
// the same name they exclude each other. What differs is the price of waiting
// (see [Store.Watch]), that two goroutines of one Locker exclude each other too,
// and that a waiter whose lease has ended is never told that it holds the lock.
//
// What belongs here: the lock, and the adapter to the etcd client. What does
// not: a server (package embedded/etcd) and the broken variants (package
// antipattern).
package etcdlock
