package rowlock_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"

	"github.com/lockstep-sim/lockstep/impl/internal/sqltest"
	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/rowlock"
	"github.com/lockstep-sim/lockstep/impl/sqllock/dialect"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// world is one database with tables that no other test uses.
type world struct {
	sqltest.Backend
	rows *rowlock.DB
	id   int64
}

var worlds atomic.Int64

func newWorld(t testing.TB, b sqltest.Backend) *world {
	t.Helper()
	rows, err := rowlock.New(b.DB, rowlock.Config{Dialect: b.Dialect})
	if err != nil {
		t.Fatal(err)
	}
	return &world{Backend: b, rows: rows, id: worlds.Add(1)}
}

// table is a name of the test's own.
func (w *world) table(what string) string { return fmt.Sprintf("%s_%d", what, w.id) }

// coarse reports whether the database locks more than rows.
func (w *world) coarse() bool { return w.Kind() == dialect.KindSQLite }

type suite map[string]func(*testing.T, *world)

// TestEachDatabase runs every suite on every database that can be had, each of
// which is started once.
func TestEachDatabase(t *testing.T) {
	sqltest.Each(t, func(t *testing.T, b sqltest.Backend) {
		for _, tests := range []suite{txTests, stockTests, queueTests, recordTests, mutexTests, holderTests} {
			for name, test := range tests {
				t.Run(name, func(t *testing.T) { test(t, newWorld(t, b)) })
			}
		}
	})
}

// numbers makes a table of rows 1 to n, all with the value 0.
func (w *world) numbers(t testing.TB, n int) string {
	t.Helper()
	name := w.table("numbers")
	w.Exec(t, "CREATE TABLE "+name+" (id INTEGER NOT NULL PRIMARY KEY, value INTEGER NOT NULL)")
	for id := 1; id <= n; id++ {
		w.Exec(t, "INSERT INTO "+name+" VALUES (?, 0)", id)
	}
	return name
}

func (w *world) number(t testing.TB, table string, id int) (value int) {
	t.Helper()
	w.Scan(t, "SELECT value FROM "+table+" WHERE id = ?", []any{id}, &value)
	return value
}

// lockNumber locks a row of numbers and calls then while it is locked.
func (w *world) lockNumber(t testing.TB, table string, id int, then func()) {
	t.Helper()
	err := w.rows.InTx(t.Context(), rowlock.Wait{}, func(ctx context.Context, tx *rowlock.Tx) error {
		var value int
		if err := tx.One(ctx, "SELECT value FROM "+table+" WHERE id = ? {lock}", []any{id}, &value); err != nil {
			return err
		}
		then()
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func release(t testing.TB, lease lock.Lease) {
	t.Helper()
	if err := lease.Release(context.Background()); err != nil {
		t.Error(err)
	}
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
