// Package demo is the command "lockstep demo": it opens a backend, lets workers
// contend for a lock on it, shows how that goes, live or as plain lines, and
// tells at the end whether the lock kept them apart.
//
// What belongs here: the order of these things, and how they are shown. What
// does not: the workers (package contest), servers and clients (package
// backend), flags and exit statuses (internal/cli).
package demo
