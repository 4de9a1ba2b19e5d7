// Package zk runs a ZooKeeper inside the process: one server that keeps its tree
// in memory and speaks the ZooKeeper protocol, so that an unmodified client such
// as github.com/go-zookeeper/zk works on it. Tests, examples and the demo use
// it; nothing has to be installed.
//
// What belongs here: the server, that is connections, listening, and ways to
// make it fail on purpose. What does not: what a request means (package state),
// how it is encoded (package jute), and anything about locks.
//
// No ZooKeeper that runs in a Go process existed, hence one of our own. What it
// does not support is listed in README.md beside this file. The same requests
// are sent to it and to Apache ZooKeeper in the tests, and the answers compared.
package zk
