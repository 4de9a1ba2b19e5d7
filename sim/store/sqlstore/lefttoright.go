package sqlstore

import (
	"database/sql/driver"
	"fmt"
	"regexp"
	"strings"

	"github.com/lockstep-sim/lockstep/impl/clock"
	"github.com/lockstep-sim/lockstep/impl/sqllock/dialect"
)

// LeftToRight is SQLite with the upsert of MySQL: in INSERT … ON DUPLICATE KEY
// UPDATE each assignment sees the new values of those before it, where standard
// SQL has all of them see the old row. Each is carried out as an update of its own.
//
// It knows that statement for one table with the key in the first column, and
// otherwise what SQLite and MySQL write alike. A test compares it with MariaDB.
type LeftToRight struct{ *SQLite }

// NewLeftToRight makes a fresh database whose statements read clk.
func NewLeftToRight(clk clock.Clock) (*LeftToRight, error) {
	db, err := NewSQLite(clk)
	return &LeftToRight{db}, err
}

// Dialect is how clients speak to the database.
func (db *LeftToRight) Dialect() dialect.Dialect {
	return dialect.MySQL().WithNow(db.SQLite.Dialect().Now())
}

// Open implements Engine.
func (db *LeftToRight) Open() (Session, error) {
	s, err := db.open()
	return &leftToRightSession{s}, err
}

type leftToRightSession struct{ *sqliteSession }

// Do implements Session.
func (s *leftToRightSession) Do(st Statement, done func(Answer)) {
	if u, ok := parseUpsert(st); ok {
		done(u.run(s.sqliteSession))
		return
	}
	s.sqliteSession.Do(st, done)
}

// upsert is an INSERT … ON DUPLICATE KEY UPDATE.
type upsert struct {
	table, key string
	insert     Statement
	assign     []Statement // each an expression that sets one column
}

var upsertForm = regexp.MustCompile(`(?is)^\s*(INSERT INTO (\w+) \((\w+).*?)\s+ON DUPLICATE KEY UPDATE\s+(.*)$`)

func parseUpsert(st Statement) (upsert, bool) {
	m := upsertForm.FindStringSubmatch(st.Text)
	if m == nil {
		return upsert{}, false
	}
	rest := st.Args
	take := func(text string) Statement {
		n := strings.Count(text, "?")
		s := Statement{Text: text, Args: rest[:n:n]}
		rest = rest[n:]
		return s
	}
	u := upsert{table: m[2], key: m[3], insert: take(m[1])}
	u.insert.Text += " ON CONFLICT DO NOTHING"
	for _, a := range splitList(m[4]) {
		u.assign = append(u.assign, take(a))
	}
	return u, true
}

// splitList splits at the commas that stand outside parentheses.
func splitList(text string) (parts []string) {
	depth, start := 0, 0
	for i, r := range text {
		switch {
		case r == '(':
			depth++
		case r == ')':
			depth--
		case r == ',' && depth == 0:
			parts = append(parts, strings.TrimSpace(text[start:i]))
			start = i + 1
		}
	}
	return append(parts, strings.TrimSpace(text[start:]))
}

// run inserts the row or, where there is one, assigns. As in MySQL, 1 row is
// affected by an insert, 2 by a change, and 0 where everything stays as it was.
func (u upsert) run(s *sqliteSession) Answer {
	a := s.run(u.insert)
	if a.Err != nil || a.Affected > 0 {
		return a
	}
	key := u.insert.Args[0]
	before := s.run(u.row(key))
	for _, set := range u.assign {
		set.Text = "UPDATE " + u.table + " SET " + set.Text + " WHERE " + u.key + " = ?"
		set.Args = append(set.Args, key)
		if a := s.run(set); a.Err != nil {
			return a
		}
	}
	after := s.run(u.row(key))
	if fmt.Sprint(before.Rows) == fmt.Sprint(after.Rows) {
		return Answer{}
	}
	return Answer{Affected: 2}
}

func (u upsert) row(key driver.Value) Statement {
	return Statement{Text: "SELECT * FROM " + u.table + " WHERE " + u.key + " = ?", Args: []driver.Value{key}, Query: true}
}
