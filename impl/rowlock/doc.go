// Package rowlock locks with the rows of a database themselves, and holds the
// lock for as long as a transaction lasts.
//
// [DB.InTx] runs a short transaction whose SELECTs may lock what they read: with
// a bounded wait, without a wait (NOWAIT), or passing over what is locked (SKIP
// LOCKED). [Stock] and [Queue] show what that is good for. [Record] is a lock
// that outlives the transaction, kept in a row with a lease; it can be
// re-entered. [Mutex] holds a transaction open for as long as the lock is held.
//
// The database frees the rows of a holder when its connection ends: at once for
// a process that dies, but only after a time-out of TCP or of the server when
// the holder's host is lost or cut off. Set the server's keep-alive
// (tcp_keepalives_idle on PostgreSQL) and its limit for idle transactions
// (idle_in_transaction_session_timeout, idle_transaction_timeout on MariaDB)
// accordingly.
//
// An index must lead to the rows. Without one InnoDB locks every row that it
// looks at; PostgreSQL locks only those that match.
//
// SQLite has no locks on rows. Its transactions here begin as immediate ones,
// which lock the whole database: [Within] and [NoWait] behave as elsewhere, only
// coarser, there is never a locked row to skip, and [Mutex] is not supported.
//
// What belongs here: locks on rows of business data and the transactions around
// them. What does not: a lock table on its own (package sqllock, which needs one
// statement where [Record] needs a transaction).
package rowlock
