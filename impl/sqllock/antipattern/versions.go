package antipattern

import (
	"context"

	"github.com/lockstep-sim/lockstep/impl/sqllock"
)

// Unversioned writes without looking at the version: of two that read the same
// value and write what they made of it, the first one's change is lost.
type Unversioned[T any] struct{ sqllock.Versioned[T] }

// Write writes the value, whatever the version of the row is by now.
func (u Unversioned[T]) Write(ctx context.Context, key any, value T, _ int64) error {
	_, err := u.DB.ExecContext(ctx, u.Dialect.Rewrite("UPDATE {table} SET {value} = ? WHERE {key} = ?",
		map[string]string{"table": u.Table, "value": u.Value, "key": u.Key}), value, key)
	return err
}

// VersionElsewhere checks a version, but on a row of its own, as one that stands
// on a lock, and writes the data without one. Whoever writes the data by another
// way is overwritten.
type VersionElsewhere[T any] struct {
	Data Unversioned[T]
	Lock sqllock.Versioned[string]
}

// Write raises the version of the lock's row, or returns sqllock.ErrConflict,
// and then writes the data.
func (v VersionElsewhere[T]) Write(ctx context.Context, key, lockKey any, value T, version int64) error {
	if err := v.Lock.Write(ctx, lockKey, "", version); err != nil {
		return err
	}
	return v.Data.Write(ctx, key, value, version)
}
