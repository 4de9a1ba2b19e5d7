package sqlstore

import (
	"database/sql/driver"
	"errors"
	"regexp"

	"github.com/lockstep-sim/lockstep/impl/clock"
	"github.com/lockstep-sim/lockstep/impl/sqllock/dialect"
)

// Isolation is how much of others' work a transaction sees.
type Isolation string

// The two levels that are in general use: PostgreSQL's default, and the one that
// is InnoDB's.
const (
	// ReadCommitted: every statement sees what is committed when it begins.
	ReadCommitted Isolation = "read-committed"
	// RepeatableRead: all statements see what was committed at the first one.
	RepeatableRead Isolation = "repeatable-read"
)

// Snapshots is a model of what the transactions of PostgreSQL see of each other.
// Its statements are carried out by SQLite: each transaction has a copy of what
// is committed, with its own changes in it, and a commit makes the changes again
// where everybody sees them.
//
// It has no row locks: two transactions that write the same row do not wait for
// each other, and a unique index refuses the second row only at the commit. Use it
// for transactions that insert rows and read them. A test compares it with the
// real PostgreSQL.
type Snapshots struct {
	committed *SQLite
	clk       clock.Clock
	level     Isolation
	sessions  map[*snapshotSession]bool
}

// NewSnapshots makes a fresh database whose statements read clk.
func NewSnapshots(clk clock.Clock, level Isolation) (*Snapshots, error) {
	committed, err := NewSQLite(clk)
	if err != nil {
		return nil, err
	}
	return &Snapshots{committed, clk, level, map[*snapshotSession]bool{}}, nil
}

// Dialect is how clients speak to the database.
func (db *Snapshots) Dialect() dialect.Dialect {
	return dialect.Postgres().WithNow(db.committed.Dialect().Now())
}

// Run carries out statements beside all sessions, in the words of SQLite.
func (db *Snapshots) Run(statements ...string) error { return db.committed.Run(statements...) }

// View implements Engine.
func (db *Snapshots) View(query string) ([][]driver.Value, error) { return db.committed.View(query) }

// Open implements Engine.
func (db *Snapshots) Open() (Session, error) {
	s := &snapshotSession{db: db}
	db.sessions[s] = true
	return s, nil
}

// Close implements Engine.
func (db *Snapshots) Close() {
	for s := range db.sessions {
		s.Close()
	}
	db.committed.Close()
}

// copy is a database of its own with everything that is committed.
func (db *Snapshots) copy() (*SQLite, error) {
	content, err := db.committed.keep.conn.(interface{ Serialize() ([]byte, error) }).Serialize()
	if err != nil {
		return nil, err
	}
	own, err := NewSQLite(db.clk)
	if err != nil {
		return nil, err
	}
	if err := own.keep.conn.(interface{ Deserialize([]byte) error }).Deserialize(content); err != nil {
		own.Close()
		return nil, err
	}
	return own, nil
}

// snapshotSession is one connection.
type snapshotSession struct {
	db *Snapshots
	tx *transaction // nil outside one
}

// transaction is what a session has done since BEGIN.
type transaction struct {
	sees   *SQLite // nil before the first statement
	writes []Statement
	failed bool // after an error PostgreSQL takes nothing but the end
}

// Close implements Session.
func (s *snapshotSession) Close() {
	delete(s.db.sessions, s)
	s.end()
}

func (s *snapshotSession) end() {
	if s.tx != nil && s.tx.sees != nil {
		s.tx.sees.Close()
	}
	s.tx = nil
}

// numbered is a placeholder of PostgreSQL. SQLite has question marks for it.
var numbered = regexp.MustCompile(`\$(\d+)`)

// Do implements Session.
func (s *snapshotSession) Do(st Statement, done func(Answer)) {
	st.Text = numbered.ReplaceAllString(st.Text, "?$1")
	switch command(st.Text) {
	case "BEGIN":
		s.tx = &transaction{}
		done(Answer{Affected: noCount})
	case "SET": // a bound on waiting, and nothing ever waits
		done(Answer{Affected: noCount})
	case "COMMIT":
		done(s.commit())
	case "ROLLBACK":
		s.end()
		done(Answer{Affected: noCount})
	default:
		done(s.run(st))
	}
}

func (s *snapshotSession) run(st Statement) Answer {
	if s.tx == nil {
		return asPostgres(s.db.committed.keep.run(st))
	}
	if s.tx.failed {
		return Answer{Err: pgError{errors.New("current transaction is aborted"), "25P02"}}
	}
	if err := s.look(); err != nil {
		return Answer{Err: err}
	}
	a := asPostgres(s.tx.sees.keep.run(st))
	s.tx.failed = a.Err != nil
	if command(st.Text) != "SELECT" && a.Err == nil {
		s.tx.writes = append(s.tx.writes, st)
	}
	return a
}

// look brings what the transaction sees up to date, where its level says so.
func (s *snapshotSession) look() error {
	if s.tx.sees != nil {
		if s.db.level == RepeatableRead {
			return nil
		}
		s.tx.sees.Close()
	}
	var err error
	if s.tx.sees, err = s.db.copy(); err != nil {
		return err
	}
	return s.tx.repeat(s.tx.sees)
}

// repeat makes the changes of the transaction in another database.
func (t *transaction) repeat(where *SQLite) error {
	for _, w := range t.writes {
		if a := where.keep.run(w); a.Err != nil {
			return a.Err
		}
	}
	return nil
}

func (s *snapshotSession) commit() Answer {
	defer s.end()
	if s.tx == nil || s.tx.failed {
		return Answer{Affected: noCount}
	}
	if err := s.db.committed.Run("BEGIN"); err != nil {
		return Answer{Err: err}
	}
	if err := s.tx.repeat(s.db.committed); err != nil {
		_ = s.db.committed.Run("ROLLBACK") // the error counts that made it necessary
		return asPostgres(Answer{Err: err})
	}
	return Answer{Affected: noCount, Err: s.db.committed.Run("COMMIT")}
}

// State implements Observed.
func (s *snapshotSession) State() SessionState {
	switch {
	case s.tx == nil:
		return SessionState{}
	case s.tx.failed:
		return SessionState{State: "aborted"}
	}
	return SessionState{State: "in transaction"}
}

// View implements Observed.
func (s *snapshotSession) View(query string) ([][]driver.Value, error) {
	if s.tx == nil || s.tx.sees == nil {
		return s.db.View(query)
	}
	return s.tx.sees.View(query)
}

// pgError is an error with PostgreSQL's code.
type pgError struct {
	error
	state string
}

// SQLState is the five characters, as of the errors of pgx.
func (e pgError) SQLState() string { return e.state }

// asPostgres puts PostgreSQL's code on an error of SQLite.
func asPostgres(a Answer) Answer {
	switch {
	case a.Err == nil:
	case dialect.SQLite().Class(a.Err) == dialect.Duplicate:
		a.Err = pgError{a.Err, "23505"}
	default:
		a.Err = pgError{a.Err, "42000"}
	}
	return a
}
