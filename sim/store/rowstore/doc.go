// Package rowstore is a model of how PostgreSQL and InnoDB lock rows: an engine
// for package sqlstore with transactions, snapshots, row locks and their queues.
// It executes the statements that impl/rowlock sends.
//
// PostgreSQL runs at READ COMMITTED: a statement sees what was committed when it
// began, locks the rows that match, and looks again at a row that it had to wait
// for. InnoDB runs at REPEATABLE READ: a plain SELECT sees the snapshot of the
// transaction's first one, and a statement that locks or writes sees the newest
// rows, locks every row that it looks at, and the gaps between them.
//
// What the model leaves out: SELECT … FOR SHARE, other levels of isolation, and locks
// of tables; and InnoDB's rule that a request for a row and its gap keeps inserts
// out of the gap while it still waits. A statement that had to wait is executed again from its beginning,
// with the locks that it already has.
//
// What belongs here: the model, which knows nothing of clients or messages. What
// does not: the network and the record of a run (package sqlstore), and the
// statements of locks (impl/).
package rowstore
