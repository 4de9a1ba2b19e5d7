package dialect

import (
	"errors"

	"github.com/go-sql-driver/mysql"
)

// Class is what an error of a database means for a lock.
type Class int

const (
	// Unknown: the server did not say what became of the statement. The
	// connection broke, the context ended, or the server was going down. The
	// statement may have been carried out.
	Unknown Class = iota
	// Rejected: the server refused the statement; nothing was changed.
	Rejected
	// Busy: a row or the database is locked by somebody else. Whether that was
	// seen at once (NOWAIT) or after a wait is for the caller to know: the
	// databases use overlapping codes. Nothing was changed.
	Busy
	// Retry: the server chose this transaction as the victim of a deadlock or
	// a conflict and rolled it back. Running it again is the right answer.
	Retry
	// Duplicate: a unique index refused the row.
	Duplicate
)

var classNames = [...]string{"unknown", "rejected", "busy", "retry", "duplicate"}

// String is the name of the class.
func (c Class) String() string { return classNames[c] }

// Transient reports whether the statement had no effect and may simply be sent
// again.
func (c Class) Transient() bool { return c == Busy || c == Retry }

// Class says what err means. The drivers are told apart by the shape of their
// errors: pgx and lib/pq have an SQLState method, modernc.org/sqlite a Code
// method, go-sql-driver/mysql its own type.
func (d Dialect) Class(err error) Class {
	switch d.kind {
	case KindPostgres:
		return classPostgres(err)
	case KindMySQL:
		return classMySQL(err)
	default:
		return classSQLite(err)
	}
}

// classPostgres follows appendix A of the PostgreSQL manual, "PostgreSQL Error
// Codes".
func classPostgres(err error) Class {
	var e interface{ SQLState() string }
	if !errors.As(err, &e) {
		return Unknown
	}
	state := e.SQLState()
	switch state {
	case "55P03": // lock_not_available: NOWAIT, or lock_timeout passed
		return Busy
	case "40001", "40P01": // serialization_failure, deadlock_detected
		return Retry
	case "23505": // unique_violation
		return Duplicate
	}
	switch state[:min(2, len(state))] {
	case "08", "57", "": // connection exception, operator intervention
		return Unknown
	}
	return Rejected
}

// Error numbers of MySQL and MariaDB, from their error references.
const (
	mysqlShutdown     = 1053 // ER_SERVER_SHUTDOWN
	mysqlDuplicate    = 1062 // ER_DUP_ENTRY
	mysqlLockWait     = 1205 // ER_LOCK_WAIT_TIMEOUT; MariaDB uses it for NOWAIT as well
	mysqlDeadlock     = 1213 // ER_LOCK_DEADLOCK
	mysqlInterrupted  = 1317 // ER_QUERY_INTERRUPTED
	mysqlNoWait       = 3572 // ER_LOCK_NOWAIT of MySQL
	mariadbRowChanged = 1020 // ER_CHECKREAD under innodb_snapshot_isolation
	mariadbKilled     = 1927 // ER_CONNECTION_KILLED
)

func classMySQL(err error) Class {
	var e *mysql.MySQLError
	if !errors.As(err, &e) {
		return Unknown
	}
	switch e.Number {
	case mysqlLockWait, mysqlNoWait:
		return Busy
	case mysqlDeadlock, mariadbRowChanged:
		return Retry
	case mysqlDuplicate:
		return Duplicate
	case mysqlShutdown, mysqlInterrupted, mariadbKilled:
		return Unknown
	}
	return Rejected
}

// Result codes of SQLite, from https://www.sqlite.org/rescode.html.
const (
	sqliteBusy       = 5
	sqliteLocked     = 6
	sqliteInterrupt  = 9
	sqliteIOErr      = 10
	sqlitePrimaryKey = 1555 // SQLITE_CONSTRAINT_PRIMARYKEY
	sqliteUnique     = 2067 // SQLITE_CONSTRAINT_UNIQUE
)

func classSQLite(err error) Class {
	var e interface{ Code() int }
	if !errors.As(err, &e) {
		return Unknown
	}
	switch e.Code() {
	case sqlitePrimaryKey, sqliteUnique:
		return Duplicate
	}
	switch e.Code() & 0xff { // the low byte is the primary code
	case sqliteBusy, sqliteLocked:
		return Busy
	case sqliteInterrupt, sqliteIOErr:
		return Unknown
	}
	return Rejected
}
