// Package sqlstore puts an SQL database behind the simulated network and on the
// virtual clock: a client has an ordinary *sql.DB, every statement travels as a
// message of sim/network, and the database executes it when it arrives.
//
// The goroutines of database/sql take no part in a run: its pool has no limit
// ([Pool] has one), connections are opened by whoever needs one, and nothing waits
// on a channel. A transaction of database/sql must be begun with a context that
// does not end, because it is rolled back from a goroutine otherwise; package
// rowlock does not use those.
//
// What belongs here: the driver, the node, what the rows show, SQLite as the
// database, and what is SQLite with one trait of another ([Snapshots],
// [LeftToRight]). What does not: statements of locks, which are those of impl/, and
// row locks, which are package rowstore's.
package sqlstore
