package realserver_test

import (
	"context"
	"database/sql"
	"testing"

	_ "github.com/go-sql-driver/mysql"
	_ "github.com/jackc/pgx/v5/stdlib"

	"github.com/lockstep-sim/lockstep/internal/realserver"
)

// server is what the tests need of a database server.
type server interface {
	Addr() string
	DSN() string
	Kill()
	Restart(t testing.TB)
}

func TestDatabasesKeepTheirDataOverARestart(t *testing.T) {
	for name, start := range map[string]func(*testing.T) (driver string, s server){
		"postgres": func(t *testing.T) (string, server) { return "pgx", realserver.Postgres(t) },
		"mariadb":  func(t *testing.T) (string, server) { return "mysql", realserver.MariaDB(t) },
	} {
		t.Run(name, func(t *testing.T) {
			driver, s := start(t)
			db := open(t, driver, s.DSN())
			mustExec(t, db, "CREATE TABLE kept (n INTEGER)")
			mustExec(t, db, "INSERT INTO kept VALUES (7)")
			s.Kill()
			if dialable(s.Addr()) {
				t.Fatalf("something still listens on %s after Kill", s.Addr())
			}
			s.Restart(t)
			var n int
			again := open(t, driver, s.DSN()) // the connections of the old pool are dead
			if err := again.QueryRowContext(t.Context(), "SELECT n FROM kept").Scan(&n); err != nil || n != 7 {
				t.Errorf("after Restart: n = %d, %v; want 7", n, err)
			}
		})
	}
}

func open(t *testing.T, driver, dsn string) *sql.DB {
	t.Helper()
	db, err := sql.Open(driver, dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func mustExec(t *testing.T, db *sql.DB, statement string) {
	t.Helper()
	if _, err := db.ExecContext(context.Background(), statement); err != nil {
		t.Fatal(err)
	}
}
