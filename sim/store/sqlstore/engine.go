package sqlstore

import (
	"database/sql/driver"
	"fmt"
	"strings"
)

// Engine is a database.
type Engine interface {
	// Open begins a session, as a new connection does.
	Open() (Session, error)
	// View runs a query about what is committed, beside all sessions.
	View(query string) ([][]driver.Value, error)
	// Close ends the database. Sessions that are open end with it.
	Close()
}

// Session is one connection at the server.
type Session interface {
	// Do executes a statement and calls done with the answer: before it returns
	// or, where the statement has to wait for another session, later.
	Do(s Statement, done func(Answer))
	// Close ends the session. A transaction that is open is rolled back.
	Close()
}

// noCount stands for the number of changed rows after a statement that has none.
const noCount = -1

// Statement is what a client sends. Transactions are the statements BEGIN,
// COMMIT and ROLLBACK.
type Statement struct {
	Text string
	Args []driver.Value
	// Query tells that the client wants the rows, and otherwise how many of them
	// have changed.
	Query bool
}

// Answer is what the server sends back.
type Answer struct {
	Columns  []string
	Rows     [][]driver.Value
	Affected int64 // changed rows, or noCount
	Query    bool  // the answer is rows
	Err      error
}

// String is the answer in a few words.
func (a Answer) String() string {
	switch {
	case a.Err != nil:
		return "error: " + a.Err.Error()
	case a.Query && len(a.Rows) == 0:
		return "no row"
	case a.Query:
		rows := make([]string, len(a.Rows))
		for i, r := range a.Rows {
			rows[i] = a.row(r)
		}
		return strings.Join(rows, "; ")
	case a.Affected == noCount:
		return "OK"
	case a.Affected == 1:
		return "1 row"
	}
	return fmt.Sprintf("%d rows", a.Affected)
}

// row is one row with the names of its columns.
func (a Answer) row(values []driver.Value) string {
	parts := make([]string, len(values))
	for i, v := range values {
		if s, ok := v.(string); ok {
			v = "'" + s + "'"
		}
		parts[i] = a.Columns[i] + " " + fmt.Sprint(v)
	}
	return strings.Join(parts, ", ")
}
