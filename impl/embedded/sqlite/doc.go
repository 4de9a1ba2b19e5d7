// Package sqlite opens an SQLite database inside the process: without a
// server, without cgo and, by default, without a file.
//
// What belongs here: opening and closing such a database, and its clock. What
// does not: tables and locks, which are the business of the packages that use
// them.
package sqlite
