// Package contest lets workers contend for a lock, with a counter that shows
// whether the lock did its work: each worker reads it, waits for a moment and
// writes it back. Two workers inside at the same time lose an update.
//
// What belongs here: the workers, and what is measured while they work. What
// does not: how it is shown (package demo), servers (package backend), and any
// lock.
package contest
