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
// What the model leaves out: SELECT … FOR SHARE, other levels of isolation, and
// locks of tables. A statement that had to wait is executed again from its
// beginning, with the locks that it already has; so an INSERT that waits for a gap
// of a second index has made no row yet, where InnoDB has put it into the primary
// one. And a row is locked as a whole, where InnoDB locks its entry in each index
// apart: whoever waits for a row has none of it, while in InnoDB it may have the
// entry of the second index by then.
//
// What belongs here: the model, which knows nothing of clients or messages. What
// does not: the network and the record of a run (package sqlstore), and the
// statements of locks (impl/).
package rowstore
