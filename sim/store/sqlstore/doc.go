// Package sqlstore puts an SQL database behind the simulated network and on the
// virtual clock: a client has an ordinary *sql.DB, every statement travels as a
// message of sim/network, and the database executes it when it arrives.
//
// The goroutines of database/sql take no part in a run: the pool has no limit,
// connections are opened by whoever needs one, and nothing waits on a channel. A
// transaction must be begun with a context that does not end, because
// database/sql rolls back from a goroutine of its own otherwise.
//
// What belongs here: the driver, the node, what the rows show, and SQLite as the
// database. What does not: statements of locks, which are those of impl/, and
// models of other databases.
package sqlstore
