// Package engine is what the locks of package consullock have in common with
// each other, and with their imitations in package antipattern that differ from
// them in one respect: sessions, attempts, waiting, leases, and what to do when
// an answer does not come.
//
// What belongs here: everything that does not depend on which keys a lock takes
// ([Target]) and how the server is asked ([Backend]), and the usual ones of both.
// What does not: documentation for users, which package consullock has.
package engine
