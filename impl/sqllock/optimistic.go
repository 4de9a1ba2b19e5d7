package sqllock

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/lockstep-sim/lockstep/impl/clock"
	"github.com/lockstep-sim/lockstep/impl/internal/sqlengine"
	"github.com/lockstep-sim/lockstep/impl/sqllock/dialect"
)

var (
	// ErrConflict: the row has changed since it was read. Nothing was written.
	ErrConflict = errors.New("version conflict")

	// ErrNoRow: there is no row with that key.
	ErrNoRow = errors.New("no such row")
)

// Versioned is one column of the caller's own table, guarded by a version
// column of the same row: reading takes no lock, and a write succeeds only if
// nobody has written since. The version must stand on the row that it protects;
// one on a lock's row says nothing about any other.
//
// T is the type of the value, one that database/sql reads and writes.
type Versioned[T any] struct {
	DB      *sql.DB
	Dialect dialect.Dialect
	// Table, Key, Value and Version name the table and its columns. They go
	// into statements as they are and must not come from outside.
	Table, Key, Value, Version string
	// Clock is what Change waits on between tries. Nil means the real one.
	Clock clock.Clock
	// Tries bounds the attempts of Change. Zero means 10.
	Tries int
	// Rand returns a number in [0, 1) for the spread of the pauses of Change. Nil
	// means math/rand/v2.
	Rand func() float64
}

// Read returns the value of the row and its version, or [ErrNoRow].
func (v Versioned[T]) Read(ctx context.Context, key any) (value T, version int64, err error) {
	err = v.DB.QueryRowContext(ctx, v.rewrite("SELECT {value}, {version} FROM {table} WHERE {key} = ?"), key).
		Scan(&value, &version)
	if errors.Is(err, sql.ErrNoRows) {
		err = ErrNoRow
	}
	return value, version, v.describe("read", key, err)
}

// Write writes the value if the row still has the version that was read with
// it, and raises the version. Otherwise it is [ErrConflict], also where the row
// has been deleted.
func (v Versioned[T]) Write(ctx context.Context, key any, value T, version int64) error {
	r, err := v.DB.ExecContext(ctx, v.rewrite(
		"UPDATE {table} SET {value} = ?, {version} = {version} + 1 WHERE {key} = ? AND {version} = ?"),
		value, key, version)
	if err == nil {
		err = oneRow(r)
	}
	return v.describe("write", key, err)
}

// Change reads, computes and writes, and begins again when somebody was faster.
// The error is that of compute, or [ErrConflict] once the tries are used up.
// Much contention is a sign that a lock would do better.
func (v Versioned[T]) Change(ctx context.Context, key any, compute func(T) (T, error)) error {
	pause := &sqlengine.Backoff{Min: time.Millisecond, Max: 50 * time.Millisecond, Rand: v.Rand}
	if pause.Rand == nil {
		pause.Rand = rand.Float64
	}
	tries := v.Tries
	if tries == 0 {
		tries = 10
	}
	_, err := sqlengine.Retry(ctx, clock.Or(v.Clock), pause, tries, v.beaten,
		func(ctx context.Context) (struct{}, error) { return struct{}{}, v.change(ctx, key, compute) })
	return err
}

func (v Versioned[T]) change(ctx context.Context, key any, compute func(T) (T, error)) error {
	value, version, err := v.Read(ctx, key)
	if err != nil {
		return err
	}
	if value, err = compute(value); err != nil {
		return err
	}
	return v.Write(ctx, key, value, version)
}

func (v Versioned[T]) beaten(err error) bool {
	return errors.Is(err, ErrConflict) || v.Dialect.Class(err).Transient()
}

func (v Versioned[T]) rewrite(statement string) string {
	return v.Dialect.Rewrite(statement, map[string]string{
		"table": v.Table, "key": v.Key, "value": v.Value, "version": v.Version,
	})
}

func (v Versioned[T]) describe(verb string, key any, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("sqllock: %s %s %v: %w", verb, v.Table, key, err)
}

func oneRow(r sql.Result) error {
	n, err := r.RowsAffected()
	if err == nil && n == 0 {
		return ErrConflict
	}
	return err
}
