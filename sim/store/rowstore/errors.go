package rowstore

import (
	"fmt"

	"github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5/pgconn"
)

// fault is one of the errors of the databases, each of which has its own words;
// only PostgreSQL knows aborted transactions.
// The sources are appendix A of the PostgreSQL manual and the error reference of
// MySQL 8.0.
type fault int

const (
	deadlock fault = iota
	lockTimeout
	lockedNow
	duplicate
	aborted
	terminated
	noTable
	notNull
	syntax
)

var postgresFaults = map[fault]pgconn.PgError{
	deadlock:    {Severity: "ERROR", Code: "40P01", Message: "deadlock detected"},
	lockTimeout: {Severity: "ERROR", Code: "55P03", Message: "canceling statement due to lock timeout"},
	lockedNow:   {Severity: "ERROR", Code: "55P03", Message: "could not obtain lock on row"},
	duplicate:   {Severity: "ERROR", Code: "23505", Message: "duplicate key value violates unique constraint"},
	aborted:     {Severity: "ERROR", Code: "25P02", Message: "current transaction is aborted"},
	terminated:  {Severity: "FATAL", Code: "57P05", Message: "terminating connection due to idle-in-transaction timeout"},
	noTable:     {Severity: "ERROR", Code: "42P01", Message: "relation does not exist"},
	notNull:     {Severity: "ERROR", Code: "23502", Message: "null value violates not-null constraint"},
	syntax:      {Severity: "ERROR", Code: "42601", Message: "syntax error"},
}

var mysqlFaults = map[fault]mysql.MySQLError{
	deadlock:    {Number: 1213, SQLState: [5]byte([]byte("40001")), Message: "Deadlock found when trying to get lock; try restarting transaction"},
	lockTimeout: {Number: 1205, SQLState: [5]byte([]byte("HY000")), Message: "Lock wait timeout exceeded; try restarting transaction"},
	lockedNow:   {Number: 3572, SQLState: [5]byte([]byte("HY000")), Message: "Statement aborted because lock(s) could not be acquired immediately and NOWAIT is set."},
	duplicate:   {Number: 1062, SQLState: [5]byte([]byte("23000")), Message: "Duplicate entry"},
	terminated:  {Number: 1927, SQLState: [5]byte([]byte("70100")), Message: "Connection was killed"},
	noTable:     {Number: 1146, SQLState: [5]byte([]byte("42S02")), Message: "Table doesn't exist"},
	notNull:     {Number: 1048, SQLState: [5]byte([]byte("23000")), Message: "Column cannot be null"},
	syntax:      {Number: 1064, SQLState: [5]byte([]byte("42000")), Message: "You have an error in your SQL syntax"},
}

// fail is the database's own error for f.
func (db *DB) fail(f fault) error {
	if db.innodb() {
		e := mysqlFaults[f]
		return &e
	}
	e := postgresFaults[f]
	return &e
}

// explain adds what is wrong to a fault that needs to be told more about.
func (db *DB) explain(f fault, detail string) error { return fmt.Errorf("%w: %s", db.fail(f), detail) }
