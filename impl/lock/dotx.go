package lock

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// Tx is a transaction that can be ended: *sql.Tx is one.
type Tx interface {
	Commit() error
	Rollback() error
}

// DoTx runs fn in a transaction while holding the lock named key, with the lock
// outside: it begins the transaction after the lock is granted and releases the
// lock after the commit. The next holder then sees what was committed, and the
// transaction saw what the last one had; the other way round both can see the
// same old state and act on it twice. For that fn must read within the
// transaction, and not act on what was read before.
//
// The transaction is committed if fn returns nil and the lease still lasts, and
// rolled back otherwise, also if fn panics. begin makes it, with the context that
// ends with the lease:
//
//	func(ctx context.Context) (*sql.Tx, error) { return db.BeginTx(ctx, nil) }
//
// The errors are those of [Do]. [ErrNotHeld] beside no other error means that the
// lease ended during the commit, which then took place all the same.
func DoTx[T Tx](
	ctx context.Context, l Locker, key string,
	begin func(context.Context) (T, error), fn func(context.Context, T) error, opts ...Option,
) error {
	return Do(ctx, l, key, func(ctx context.Context) error {
		tx, err := begin(ctx)
		if err != nil {
			return fmt.Errorf("begin: %w", err)
		}
		return inTx(ctx, tx, fn)
	}, opts...)
}

func inTx[T Tx](ctx context.Context, tx T, fn func(context.Context, T) error) (err error) {
	committing := false
	defer func() {
		if !committing {
			err = rollBack(tx, err)
		}
	}()
	if err := fn(ctx, tx); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return fmt.Errorf("rolled back: %w", context.Cause(ctx))
	}
	committing = true
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	return nil
}

// rollBack adds to err, which may be nil in a panic, that the rollback failed. A
// transaction that ended with its context was rolled back by it.
func rollBack(tx Tx, err error) error {
	failed := tx.Rollback()
	if failed == nil || err == nil || errors.Is(err, failed) || errors.Is(failed, sql.ErrTxDone) {
		return err
	}
	return fmt.Errorf("%w; rollback: %w", err, failed)
}
