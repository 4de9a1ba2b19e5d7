// Package consulstore puts Consul behind the simulated network and on the
// virtual clock: the server of impl/embedded/consul answers, and the unmodified
// client of github.com/hashicorp/consul/api asks.
//
// What belongs here: HTTP requests and their answers as messages, blocking
// queries as tasks of the server, and what changed in the store. What does not:
// lock code, and anything that decides an answer (package embedded/consul, whose
// documentation says where it follows a real server).
//
// What it is and is not: one server, so a write is answered as soon as it has
// arrived. A session ends at twice its TTL, as on a real server that keeps its
// leader. No jitter is added to the wait of a blocking query, so that two runs
// are the same. A request that is given up closes its connection, as HTTP/1.1
// does, and ends the query at the server. The transport of net/http sends some
// requests again when a connection that was idle turns out to be broken; this
// one does not.
package consulstore
