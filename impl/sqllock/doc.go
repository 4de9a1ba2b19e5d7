// Package sqllock keeps locks in a table of a database: SQLite, PostgreSQL,
// MySQL or MariaDB, through database/sql.
//
// A lock is a row: its name, its owner, the number of its grants, and when the
// owner's lease ends. One statement acquires it, whether the row is new, free
// or expired; one statement that checks the owner renews it; one that checks
// the owner releases it. Each is a transaction of its own. The database's clock
// alone decides what has expired, inside the statement that acts on it: clients
// whose clocks disagree, or that pause between two lines, cannot take a lock
// before its time.
//
// Two things are the caller's to know. The locks are as safe as the database:
// one that fails over to an asynchronous replica forgets its latest grants, and
// one whose clock is set back lengthens every lease by as much. And the lock
// must be taken outside the transaction that it guards and released after its
// commit, hence New wants the *sql.DB and never a *sql.Tx.
//
// Waiting is polling, with growing random pauses: the order of arrival is not
// kept. Release wakes a waiter of the same process at once; see [Config.Notify]
// for other processes.
//
// Drivers: jackc/pgx/v5/stdlib, go-sql-driver/mysql and modernc.org/sqlite are
// the tested ones. For MySQL set interpolateParams=true in the data source name;
// without it, the driver makes three requests of every statement.
//
// What belongs here: locks that are rows with a lease, their clean-up, and the
// optimistic version check that so often makes a lock needless. What does not:
// locks that are an open transaction (package rowlock) and the side of the
// protected data (package sqlfencing).
package sqllock
