// Package etcdstore puts etcd behind the simulated network and on the virtual
// clock: the state machine of package model answers, and a [Client] is the
// etcdlock.Store that the locks of impl/etcdlock work with.
//
// What belongs here: requests and watch events as messages, the two loops of a
// member that come late by design, and what changed in the store. What does not:
// lock code, and anything that decides an answer (package model).
//
// What it is and is not: one member, so a write is answered as soon as it has
// arrived. A lease ends at the first round half second of the run at which it has
// run out, because a member looks for such leases every 500 ms; until then its
// keys are there, and a keep-alive is answered when they are gone. A watch that
// begins in the past is served at the next round tenth of a second. A broken
// connection ends a watch with etcdlock.ErrWatchLost, where etcd's client would
// resume it. That a client closes a watch travels with whatever else it sends, and
// leaves no arrow in the record.
package etcdstore
