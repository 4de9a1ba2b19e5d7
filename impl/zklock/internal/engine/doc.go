// Package engine is the queue that all locks of package zklock stand in: how a
// node gets into it and is found again when the answer was lost, how a waiter
// waits, how a hold is kept, lost and given back.
//
// What belongs here: anything that holds for every kind of lock on ZooKeeper.
// Whose turn it is depends on the kind of lock and is decided by a [Turn]. What
// does not: the ZooKeeper client (package zkconn).
package engine
