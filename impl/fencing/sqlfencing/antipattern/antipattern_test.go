package antipattern_test

import (
	"context"
	"errors"
	"testing"

	"go.uber.org/goleak"

	"github.com/lockstep-sim/lockstep/impl/fencing"
	"github.com/lockstep-sim/lockstep/impl/fencing/sqlfencing"
	"github.com/lockstep-sim/lockstep/impl/fencing/sqlfencing/antipattern"
	"github.com/lockstep-sim/lockstep/impl/internal/sqltest"
	"github.com/lockstep-sim/lockstep/impl/rowlock"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestEachDatabase(t *testing.T) {
	sqltest.Each(t, func(t *testing.T, b sqltest.Backend) {
		rows, err := rowlock.New(b.DB, rowlock.Config{Dialect: b.Dialect})
		if err != nil {
			t.Fatal(err)
		}
		t.Run("check, then write", func(t *testing.T) { checkThenWrite(t, b, rows) })
		t.Run("plain upsert", func(t *testing.T) { plainUpsert(t, rows) })
	})
}

func resource(t *testing.T, rows *rowlock.DB, table string) *sqlfencing.Resource {
	t.Helper()
	r := sqlfencing.NewResource(rows, table)
	if err := r.CreateSchema(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := r.Create(t.Context(), "x", 0); err != nil {
		t.Fatal(err)
	}
	return r
}

func wantValue(t *testing.T, r *sqlfencing.Resource, want int64) {
	t.Helper()
	if got, err := r.Read(t.Context(), "x"); err != nil || got != want {
		t.Errorf("value %d, %v; want %d", got, err, want)
	}
}

func checkThenWrite(t *testing.T, b sqltest.Backend, rows *rowlock.DB) {
	r := resource(t, rows, "check_then_write")
	wrong := antipattern.CheckThenWrite{Conn: rows, Table: "check_then_write"}
	b.Tap.On("UPDATE", func(ctx context.Context, send func() error) error {
		if err := r.Write(ctx, "x", 34, 34); err != nil {
			t.Error(err)
		}
		return send()
	})
	if err := wrong.Write(t.Context(), "x", 33, 33); err != nil {
		t.Errorf("the stale write returned %v; the mistake accepts it", err)
	}
	wantValue(t, r, 33) // the newer holder's 34 is gone
	if err := r.Write(t.Context(), "x", 35, 35); err != nil {
		t.Fatal(err)
	}
	if err := wrong.Write(t.Context(), "x", 33, 33); !errors.Is(err, fencing.ErrStale) {
		t.Errorf("with nothing in between: %v, want fencing.ErrStale", err)
	}
}

func plainUpsert(t *testing.T, rows *rowlock.DB) {
	r := resource(t, rows, "plain_upsert")
	wrong := antipattern.PlainUpsert{Conn: rows, Table: "plain_upsert"}
	for range 2 { // it is repeatable
		if err := wrong.Write(t.Context(), "x", 34, 34); err != nil {
			t.Fatal(err)
		}
		wantValue(t, r, 34)
	}
	if err := wrong.Write(t.Context(), "x", 33, 33); err != nil {
		t.Errorf("the stale write returned %v; the mistake accepts it", err)
	}
	wantValue(t, r, 33)
}
