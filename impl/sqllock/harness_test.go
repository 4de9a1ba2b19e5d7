package sqllock_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/lockstep-sim/lockstep/impl/internal/sqltest"
	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/sqllock"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const key = "lock:order:1"

// world is one database with a lock table that no other test uses.
type world struct {
	sqltest.Backend
	table string
}

var worlds atomic.Int64

func newWorld(t testing.TB, b sqltest.Backend) *world {
	t.Helper()
	w := &world{Backend: b, table: fmt.Sprintf("locks_%d", worlds.Add(1))}
	if err := w.mutex(t, sqllock.Config{}).CreateSchema(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.Tap.Requests()
	return w
}

// suite is tests by what they show.
type suite map[string]func(*testing.T, *world)

// TestEachDatabase runs every suite on every database that can be had, each of
// which is started once.
func TestEachDatabase(t *testing.T) {
	sqltest.Each(t, func(t *testing.T, b sqltest.Backend) {
		for _, tests := range []suite{mutexTests, faultTests, cleanUpTests, versionTests, restartTests, processTests, midwayTests} {
			for name, test := range tests {
				t.Run(name, func(t *testing.T) { test(t, newWorld(t, b)) })
			}
		}
	})
}

// mutex makes a mutex of its own, as another process would have one.
func (w *world) mutex(t testing.TB, cfg sqllock.Config) *sqllock.Mutex {
	t.Helper()
	cfg.Dialect, cfg.Table = w.Dialect, w.table
	m, err := sqllock.New(w.DB, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// row is what stands in the table.
func (w *world) row(t testing.TB) (owner string, token lock.Token, left time.Duration) {
	t.Helper()
	var expires int64
	w.Scan(t, "SELECT owner, token, expires_ms FROM "+w.table+" WHERE name = ?", []any{key}, &owner, &token, &expires)
	return owner, token, time.Duration(expires-w.Now(t)) * time.Millisecond
}

// age makes everything in the table look older.
func (w *world) age(t testing.TB, by time.Duration) {
	t.Helper()
	w.Exec(t, "UPDATE "+w.table+" SET expires_ms = expires_ms - ?", by.Milliseconds())
	w.Exec(t, "UPDATE "+w.table+"_floor SET raised_ms = raised_ms - ?", by.Milliseconds())
}

func acquire(t testing.TB, l lock.Locker, opts ...lock.Option) lock.Lease {
	t.Helper()
	lease, err := l.TryAcquire(t.Context(), key, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return lease
}

func release(t testing.TB, lease lock.Lease) {
	t.Helper()
	if err := lease.Release(context.Background()); err != nil {
		t.Fatal(err)
	}
}

func tokenOf(t testing.TB, lease lock.Lease) lock.Token {
	t.Helper()
	token, ok := lease.Token()
	if !ok {
		t.Fatal("the lease has no token")
	}
	return token
}

func wantErr(t testing.TB, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: got %v, want %v", what, err, want)
	}
}

func wantNot(t testing.TB, what string, err, unwanted error) {
	t.Helper()
	if errors.Is(err, unwanted) {
		t.Errorf("%s: %v, which must not be %v", what, err, unwanted)
	}
}
