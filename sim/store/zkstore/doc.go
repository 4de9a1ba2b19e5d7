// Package zkstore puts ZooKeeper behind the simulated network and on the virtual
// clock: the state machine of impl/embedded/zk answers, and a [Client] is the
// zkconn.Conn that the locks of impl/zklock work with.
//
// What belongs here: sessions that are kept alive, broken and moved to another
// server, watches as pushed messages, an ensemble in which a minority serves
// nobody, and what changed in the tree. What does not: lock code, and anything
// that decides an answer (package state).
//
// What it is and is not: an ensemble has one tree, that of its majority. A write
// counts from the moment when the server that the client talks to executes it;
// the messages among servers take no time. A server that does not reach a
// majority breaks its connections as soon as it hears anything of a client, where
// a real one waits for its sync limit first. Sessions are open when a run begins.
// Pings, the end of a session, and the way back to a server after a connection
// broke travel like all messages but leave no arrows in the record: the code of a
// lock sends none of them.
package zkstore
