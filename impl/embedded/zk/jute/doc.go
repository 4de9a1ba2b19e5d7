// Package jute reads and writes the frames of the ZooKeeper wire protocol:
// requests and answers of package state in the encoding of Apache Jute.
//
// What belongs here: bytes in, values out, and back. What does not: connections
// and any decision about what a request means. The layouts are those of
// zookeeper.jute in ZooKeeper 3.8.
//
// Everything is big-endian. A string, a byte buffer and a vector are a length
// in four bytes and their content; length -1 is null. A frame is a length in
// four bytes and the rest, which is what the functions of this package take and
// append.
package jute
