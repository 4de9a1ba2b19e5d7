// Package dialect holds what SQLite, PostgreSQL and MySQL (with MariaDB) spell
// differently: placeholders, the database's own clock, and what their errors
// mean.
//
// What belongs here: differences that more than one package of locks has to
// know. What does not: the statements of a lock, which stand beside that lock.
package dialect

import (
	"strconv"
	"strings"
)

// Kind tells the families of databases apart.
type Kind string

// The families. MariaDB speaks [KindMySQL].
const (
	KindSQLite   Kind = "sqlite"
	KindPostgres Kind = "postgres"
	KindMySQL    Kind = "mysql"
)

// Dialect is how one database is spoken to. The zero value is none: use
// [SQLite], [Postgres] or [MySQL].
type Dialect struct {
	kind Kind
	now  string
}

// SQLite is the dialect of SQLite 3.42 and later.
func SQLite() Dialect {
	return Dialect{KindSQLite, "CAST(ROUND(unixepoch('subsec') * 1000) AS INTEGER)"}
}

// Postgres is the dialect of PostgreSQL 9.5 and later. Its clock is
// clock_timestamp: now() would be the start of the transaction, which can lie
// far back when the statement had to wait for a row.
func Postgres() Dialect {
	return Dialect{KindPostgres, "CAST(FLOOR(EXTRACT(EPOCH FROM clock_timestamp()) * 1000) AS BIGINT)"}
}

// MySQL is the dialect of MySQL 8.0 and MariaDB 10.6 and later. Its clock is UTC,
// because the local time of a session repeats an hour every autumn, and it
// stands still within a statement, so that statement-based replication arrives
// at the same rows.
func MySQL() Dialect {
	return Dialect{KindMySQL, "(TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6)) DIV 1000)"}
}

// Kind is the family of the database.
func (d Dialect) Kind() Kind { return d.kind }

// Now is an SQL expression for the database's current time in whole
// milliseconds since 1970 (UTC). It is evaluated by the database, so that the
// clocks of the clients do not matter.
func (d Dialect) Now() string { return d.now }

// WithNow replaces the clock. A test or a simulator uses it for a clock that it
// can set; expr must give whole milliseconds.
func (d Dialect) WithNow(expr string) Dialect {
	d.now = expr
	return d
}

// Rewrite turns the notation of this module's statements into that of the
// database: every ? becomes the placeholder of the dialect, every {now} its
// clock, and every {name} what names gives for it; space at both ends goes. Statements must not contain
// these characters in literals.
func (d Dialect) Rewrite(statement string, names map[string]string) string {
	pairs := []string{"{now}", d.now}
	for name, to := range names {
		pairs = append(pairs, "{"+name+"}", to)
	}
	statement = strings.TrimSpace(strings.NewReplacer(pairs...).Replace(statement))
	if d.kind != KindPostgres {
		return statement
	}
	return numbered(statement)
}

// numbered writes $1, $2, … for the question marks.
func numbered(statement string) string {
	parts := strings.Split(statement, "?")
	var b strings.Builder
	b.WriteString(parts[0])
	for i, part := range parts[1:] {
		b.WriteByte('$')
		b.WriteString(strconv.Itoa(i + 1))
		b.WriteString(part)
	}
	return b.String()
}
