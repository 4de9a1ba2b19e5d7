// Package sqltest gives tests the databases that the locks run on, the embedded
// one and the real ones, each behind a [Tap].
//
// What belongs here: what the tests of more than one package of SQL locks need.
// What does not: anything that is not a test's.
package sqltest

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/lockstep-sim/lockstep/impl/clock"
	"github.com/lockstep-sim/lockstep/impl/embedded/sqlite"
	"github.com/lockstep-sim/lockstep/impl/sqllock/dialect"
	"github.com/lockstep-sim/lockstep/internal/realserver"
)

// Backend is one database under test.
type Backend struct {
	Name    string
	DB      *sql.DB
	Dialect dialect.Dialect
	Tap     *Tap
	// Server is the process behind it; nil for SQLite.
	Server Server
}

// Server is a database server that a test can hit.
type Server interface {
	DSN() string
	Kill()
	Restart(t testing.TB)
}

// Kind is the family of the database.
func (b Backend) Kind() dialect.Kind { return b.Dialect.Kind() }

// Now is the database's own time in milliseconds.
func (b Backend) Now(t testing.TB) (ms int64) {
	t.Helper()
	b.Scan(t, "SELECT "+b.Dialect.Now(), nil, &ms)
	return ms
}

// Exec carries out a statement with ? for its arguments.
func (b Backend) Exec(t testing.TB, statement string, args ...any) (changed int64) {
	t.Helper()
	r, err := b.DB.ExecContext(context.Background(), b.Dialect.Rewrite(statement, nil), args...)
	if err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
	changed, _ = r.RowsAffected() // none of the drivers fails here
	return changed
}

// Scan reads one row.
func (b Backend) Scan(t testing.TB, query string, args []any, dest ...any) {
	t.Helper()
	err := b.DB.QueryRowContext(context.Background(), b.Dialect.Rewrite(query, nil), args...).Scan(dest...)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
}

// Each runs test against every database that can be had. The real ones are
// started once for all that test does.
func Each(t *testing.T, test func(t *testing.T, b Backend)) {
	for _, b := range []struct {
		name string
		open func(testing.TB) Backend
	}{
		{"sqlite", func(t testing.TB) Backend { return SQLite(t, nil) }},
		{"postgres", Postgres},
		{"mariadb", MariaDB},
	} {
		t.Run(b.name, func(t *testing.T) { test(t, b.open(t)) })
	}
}

// SQLite opens a database in memory. A clock makes it read that clock.
func SQLite(t testing.TB, clk clock.Clock) Backend {
	t.Helper()
	cfg := sqlite.Config{Clock: clk}
	connector, err := sqlite.NewConnector(cfg)
	if err != nil {
		t.Fatal(err)
	}
	b := tapped(t, "sqlite", connector, sqlite.DialectFor(cfg))
	keep, err := b.DB.Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = keep.Close() })
	return b
}

// Postgres starts a PostgreSQL for the length of the test.
func Postgres(t testing.TB) Backend {
	t.Helper()
	server := realserver.Postgres(t)
	cfg, err := pgx.ParseConfig(server.DSN())
	if err != nil {
		t.Fatal(err)
	}
	b := tapped(t, "postgres", stdlib.GetConnector(*cfg), dialect.Postgres())
	b.Server = server
	return b
}

// MariaDB starts a MariaDB for the length of the test.
func MariaDB(t testing.TB) Backend {
	t.Helper()
	server := realserver.MariaDB(t)
	cfg, err := mysql.ParseDSN(server.DSN())
	if err != nil {
		t.Fatal(err)
	}
	cfg.Logger = &mysql.NopLogger{}
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		t.Fatal(err)
	}
	b := tapped(t, "mariadb", connector, dialect.MySQL())
	b.Server = server
	return b
}

func tapped(t testing.TB, name string, c driver.Connector, d dialect.Dialect) Backend {
	tap := new(Tap)
	db := sql.OpenDB(tap.Connector(c))
	t.Cleanup(func() { _ = db.Close() })
	return Backend{Name: name, DB: db, Dialect: d, Tap: tap}
}
