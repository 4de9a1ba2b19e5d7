package sqlstore

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/lockstep-sim/lockstep/impl/clock"
	"github.com/lockstep-sim/lockstep/impl/embedded/sqlite"
	"github.com/lockstep-sim/lockstep/impl/sqllock/dialect"
)

// SQLite is the real SQLite, in memory, with a clock handed in. As a server it
// has no other locks than SQLite's: one transaction writes, and a second one is
// told at once that the database is busy.
type SQLite struct {
	connector driver.Connector
	dialect   dialect.Dialect
	keep      *sqliteSession // the database lives as long as a connection to it
	sessions  map[*sqliteSession]bool
	seen      map[string][][]driver.Value // by view, as it was read last
}

// NewSQLite makes a fresh database whose statements read clk.
func NewSQLite(clk clock.Clock) (*SQLite, error) {
	cfg := sqlite.Config{Clock: clk, BusyTimeout: -1}
	connector, err := sqlite.NewConnector(cfg)
	if err != nil {
		return nil, err
	}
	db := &SQLite{
		connector: connector, dialect: sqlite.DialectFor(cfg),
		sessions: map[*sqliteSession]bool{}, seen: map[string][][]driver.Value{},
	}
	db.keep, err = db.open()
	return db, err
}

// Run carries out statements beside all sessions, such as a schema.
func (db *SQLite) Run(statements ...string) error {
	for _, s := range statements {
		if a := db.keep.run(Statement{Text: s}); a.Err != nil {
			return fmt.Errorf("%s: %w", strings.TrimSpace(s), a.Err)
		}
	}
	return nil
}

// Dialect is how the database is spoken to.
func (db *SQLite) Dialect() dialect.Dialect { return db.dialect }

// Open implements Engine.
func (db *SQLite) Open() (Session, error) { return db.open() }

func (db *SQLite) open() (*sqliteSession, error) {
	c, err := db.connector.Connect(context.Background())
	if err != nil {
		return nil, err
	}
	s := &sqliteSession{db: db, conn: c}
	db.sessions[s] = true
	return s, nil
}

// View implements Engine. While a session is writing, SQLite in memory lets
// nobody read; then what was committed before is still what is committed.
func (db *SQLite) View(query string) ([][]driver.Value, error) {
	a := db.keep.run(Statement{Text: query, Query: true})
	if db.dialect.Class(a.Err) == dialect.Busy {
		return db.seen[query], nil
	}
	db.seen[query] = a.Rows
	return a.Rows, a.Err
}

// Close implements Engine.
func (db *SQLite) Close() {
	for s := range db.sessions {
		s.Close()
	}
}

// sqliteSession is one connection of SQLite.
type sqliteSession struct {
	db   *SQLite
	conn driver.Conn
}

// Close implements Session.
func (s *sqliteSession) Close() {
	if s.db.sessions[s] {
		delete(s.db.sessions, s)
		_ = s.conn.Close() // rolls back; a database in memory has nothing to lose
	}
}

// Do implements Session. SQLite never waits here.
func (s *sqliteSession) Do(st Statement, done func(Answer)) { done(s.run(st)) }

func (s *sqliteSession) run(st Statement) Answer {
	args := make([]driver.NamedValue, len(st.Args))
	for i, v := range st.Args {
		args[i] = driver.NamedValue{Ordinal: i + 1, Value: v}
	}
	if st.Query {
		return s.query(st.Text, args)
	}
	text, counts := st.Text, true
	switch command(text) {
	case "BEGIN":
		text, counts = "BEGIN IMMEDIATE", false // as a transaction that is going to write should
	case "COMMIT", "ROLLBACK", "CREATE":
		counts = false
	}
	r, err := s.conn.(driver.ExecerContext).ExecContext(context.Background(), text, args)
	if err != nil {
		return Answer{Err: plain(err)}
	}
	n, err := r.RowsAffected()
	if !counts {
		n = noCount
	}
	return Answer{Affected: n, Err: err}
}

func (s *sqliteSession) query(text string, args []driver.NamedValue) Answer {
	rows, err := s.conn.(driver.QueryerContext).QueryContext(context.Background(), text, args)
	if err != nil {
		return Answer{Err: plain(err)}
	}
	a := Answer{Columns: rows.Columns(), Query: true}
	for err == nil {
		row := make([]driver.Value, len(a.Columns))
		if err = rows.Next(row); err == nil {
			a.Rows = append(a.Rows, row)
		}
	}
	if closed := rows.Close(); errors.Is(err, io.EOF) {
		err = closed
	}
	if err != nil {
		return Answer{Err: plain(err)}
	}
	return a
}

// sqliteError is an error of SQLite without what the driver adds on both sides.
type sqliteError struct {
	error
	code int
}

// Code is SQLite's result code, as of the driver's own error.
func (e sqliteError) Code() int { return e.code }

var decoration = regexp.MustCompile(`^(?:[a-z ]+: )?(.*) \(\d+\)(?: \(SQLITE_\w+\))?$`)

func plain(err error) error {
	var coded interface{ Code() int }
	if !errors.As(err, &coded) {
		return err
	}
	return sqliteError{errors.New(decoration.ReplaceAllString(err.Error(), "$1")), coded.Code()}
}
