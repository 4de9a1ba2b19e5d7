// Package state is the state of a ZooKeeper server without the server: the tree
// of nodes, the sessions and the watches, changed by one request after another.
//
// It follows Apache ZooKeeper 3.8, whose own behaviour is the reference: the
// tests of package zk send the same requests to both.
//
// What belongs here: everything that decides an answer. What does not: bytes,
// connections and goroutines. The only thing that happens by itself is the end
// of a session, which the injected clock.Clock calls for; a simulator therefore
// runs a [Machine] in virtual time and carries the requests and answers itself.
package state
