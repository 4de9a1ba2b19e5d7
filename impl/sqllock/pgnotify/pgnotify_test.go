package pgnotify_test

import (
	"context"
	"database/sql"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"go.uber.org/goleak"

	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/sqllock"
	"github.com/lockstep-sim/lockstep/impl/sqllock/dialect"
	"github.com/lockstep-sim/lockstep/impl/sqllock/pgnotify"
	"github.com/lockstep-sim/lockstep/internal/realserver"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const key = "lock:order:1"

// never is a pause that no test waits for: only an announcement ends it.
const never = time.Hour

// spy passes on what the listener hears.
type spy struct {
	*sqllock.Mutex
	caughtUp chan struct{}
}

func (s spy) WakeAll() {
	s.Mutex.WakeAll()
	s.caughtUp <- struct{}{}
}

func mutex(t testing.TB, db *sql.DB) *sqllock.Mutex {
	t.Helper()
	m, err := sqllock.New(db, sqllock.Config{
		Dialect: dialect.Postgres(), Notify: true, PollMin: never, PollMax: never,
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := m.CreateSchema(t.Context()); err != nil {
		t.Fatal(err)
	}
	return m
}

func openDB(t testing.TB, dsn string) *sql.DB {
	t.Helper()
	cfg, err := pgx.ParseConfig(dsn)
	if err != nil {
		t.Fatal(err)
	}
	db := sql.OpenDB(stdlib.GetConnector(*cfg))
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func TestListener(t *testing.T) {
	server := realserver.Postgres(t)
	db := openDB(t, server.DSN())
	holder, waiter := mutex(t, db), spy{mutex(t, db), make(chan struct{}, 16)}
	listener := pgnotify.Listen(db, waiter, pgnotify.Config{Retry: time.Millisecond})
	defer listener.Close()
	<-waiter.caughtUp

	t.Run("a release in another process wakes a waiter", func(t *testing.T) {
		for range 3 {
			handOver(t, holder, waiter.Mutex)
		}
	})
	t.Run("a broken connection is replaced", func(t *testing.T) {
		_, err := db.ExecContext(t.Context(),
			"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'")
		if err != nil {
			t.Fatal(err)
		}
		<-waiter.caughtUp
		handOver(t, holder, waiter.Mutex)
	})
}

// handOver lets the waiter acquire the lock that the holder releases.
func handOver(t *testing.T, holder, waiter lock.Locker) {
	t.Helper()
	lease, err := holder.Acquire(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	result := make(chan error, 1)
	go func() {
		next, err := waiter.Acquire(t.Context(), key)
		if err == nil {
			err = next.Release(context.Background())
		}
		result <- err
	}()
	// The waiter may be refused before or after the release; a release that
	// comes first is seen by its attempt, a later one is announced.
	if err := lease.Release(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-result; err != nil {
		t.Fatal(err)
	}
}
