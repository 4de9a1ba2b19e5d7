package sqlite_test

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/lockstep-sim/lockstep/impl/clock"
	"github.com/lockstep-sim/lockstep/impl/embedded/sqlite"
	"github.com/lockstep-sim/lockstep/impl/sqllock/dialect"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func open(t *testing.T, cfg sqlite.Config) *sqlite.DB {
	t.Helper()
	db, err := sqlite.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return db
}

func exec(t *testing.T, db *sqlite.DB, statement string) {
	t.Helper()
	if _, err := db.ExecContext(context.Background(), statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

func query[T any](t *testing.T, db *sqlite.DB, query string) (v T) {
	t.Helper()
	if err := db.QueryRowContext(context.Background(), query).Scan(&v); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return v
}

func TestADatabaseInMemoryIsSharedByItsConnectionsAlone(t *testing.T) {
	a, b := open(t, sqlite.Config{}), open(t, sqlite.Config{})
	exec(t, a, "CREATE TABLE numbers (n INTEGER)")
	exec(t, b, "CREATE TABLE numbers (n INTEGER)")
	var writers sync.WaitGroup
	for range 4 {
		writers.Go(func() {
			for range 10 {
				if _, err := a.ExecContext(t.Context(), "INSERT INTO numbers VALUES (1)"); err != nil {
					t.Error(err)
				}
			}
		})
	}
	writers.Wait()
	if n := query[int](t, a, "SELECT COUNT(*) FROM numbers"); n != 40 {
		t.Errorf("%d rows written by four connections, want 40", n)
	}
	if n := query[int](t, b, "SELECT COUNT(*) FROM numbers"); n != 0 {
		t.Errorf("%d rows in the other database, want none", n)
	}
}

func TestADatabaseInMemorySurvivesItsIdleConnections(t *testing.T) {
	db := open(t, sqlite.Config{})
	db.SetMaxIdleConns(0) // every connection is closed after use
	exec(t, db, "CREATE TABLE numbers (n INTEGER)")
	exec(t, db, "INSERT INTO numbers VALUES (1)")
	if n := query[int](t, db, "SELECT COUNT(*) FROM numbers"); n != 1 {
		t.Errorf("%d rows, want 1", n)
	}
}

func TestNothingIsOnDiskWithoutAPath(t *testing.T) {
	t.Chdir(t.TempDir())
	exec(t, open(t, sqlite.Config{}), "CREATE TABLE numbers (n INTEGER)")
	if files, err := os.ReadDir("."); err != nil || len(files) != 0 {
		t.Errorf("%v, %v; want no files", files, err)
	}
}

func TestADatabaseInAFileOutlivesItsClose(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a name with 100% & ?#.db")
	first, err := sqlite.Open(t.Context(), sqlite.Config{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	exec(t, first, "CREATE TABLE numbers (n INTEGER)")
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	exec(t, open(t, sqlite.Config{Path: path}), "INSERT INTO numbers VALUES (1)")
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
}

func TestAPathThatCannotBeOpenedIsOneError(t *testing.T) {
	path := filepath.Join(t.TempDir(), "no such folder", "x.db")
	if db, err := sqlite.Open(t.Context(), sqlite.Config{Path: path}); err == nil {
		_ = db.Close()
		t.Error("a database in a folder that does not exist was opened")
	}
}

func TestTheDatabaseReadsTheClockThatItIsGiven(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := open(t, sqlite.Config{Clock: clock.Real()})
		start := time.Now() // that of the bubble
		time.Sleep(time.Hour)
		if got, want := query[int64](t, db, "SELECT "+db.Dialect.Now()), start.Add(time.Hour).UnixMilli(); got != want {
			t.Errorf("now is %d, want %d", got, want)
		}
	})
}

func TestTheDatabasesOwnClockIsThatOfTheMachine(t *testing.T) {
	db := open(t, sqlite.Config{})
	if db.Dialect != dialect.SQLite() {
		t.Errorf("dialect %+v, want the plain one", db.Dialect)
	}
	before := time.Now().UnixMilli()
	now := query[int64](t, db, "SELECT "+db.Dialect.Now())
	if after := time.Now().UnixMilli(); now < before-1 || now > after+1 {
		t.Errorf("now is %d, not between %d and %d", now, before, after)
	}
}

func TestABusyDatabaseIsWaitedForAsLongAsItIsSaid(t *testing.T) {
	db := open(t, sqlite.Config{BusyTimeout: -1})
	exec(t, db, "CREATE TABLE numbers (n INTEGER)")
	writer, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer writer.Close()
	if _, err := writer.ExecContext(t.Context(), "BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	_, err = db.ExecContext(t.Context(), "INSERT INTO numbers VALUES (1)")
	if got := db.Dialect.Class(err); got != dialect.Busy {
		t.Errorf("%v is of class %v, want busy", err, got)
	}
	if _, err := writer.ExecContext(t.Context(), "ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	exec(t, db, "INSERT INTO numbers VALUES (1)")
}
