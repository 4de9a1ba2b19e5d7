package rowlock

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/lockstep-sim/lockstep/impl/sqllock/dialect"
)

// Tx is a transaction under way. It belongs to the function that [DB.InTx] calls
// and ends with it. It is not safe for concurrent use.
//
// Statements have ? for their arguments on every database, and {lock} behind a
// SELECT where its rows are to be locked.
type Tx struct {
	db      *DB
	conn    *sql.Conn
	wait    Wait
	script  script
	aborted error // the error that has undone the transaction
}

// Dialect is the dialect of the database.
func (t *Tx) Dialect() dialect.Dialect { return t.db.cfg.Dialect }

// Exec carries out a statement and returns how many rows it changed. MySQL does
// not count a row that had the new values already.
func (t *Tx) Exec(ctx context.Context, statement string, args ...any) (changed int64, err error) {
	err = t.guard(func() error {
		r, err := t.conn.ExecContext(ctx, t.rewrite(statement), args...)
		if err != nil {
			return err
		}
		changed, err = r.RowsAffected()
		return err
	})
	return changed, err
}

// One reads the first row of the result, or returns [ErrNoRow].
func (t *Tx) One(ctx context.Context, query string, args []any, dest ...any) error {
	found := false
	err := t.Each(ctx, query, args, func(scan func(...any) error) error {
		if found {
			return nil
		}
		found = true
		return scan(dest...)
	})
	if err == nil && !found {
		err = ErrNoRow
	}
	return err
}

// Each calls row for every row of the result, with the function that reads it.
// The next statement must wait until Each has returned.
func (t *Tx) Each(ctx context.Context, query string, args []any, row func(scan func(...any) error) error) error {
	return t.guard(func() error {
		rows, err := t.conn.QueryContext(ctx, t.rewrite(query), args...)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			if err := row(rows.Scan); err != nil {
				return err
			}
		}
		return rows.Err()
	})
}

// savepoint is one name for all, since a newer one hides an older one of the
// same name until it is released.
const savepoint = "lockstep"

// Try runs part of the transaction so that it can fail alone: with an error of
// part, what it did is undone and the transaction can go on. On PostgreSQL that
// is the only way to go on, because there any error aborts the transaction. It
// does not help the victim of a deadlock, whose transaction is gone.
func (t *Tx) Try(ctx context.Context, part func(context.Context) error) error {
	if _, err := t.Exec(ctx, "SAVEPOINT "+savepoint); err != nil {
		return err
	}
	failed := part(ctx)
	if failed == nil {
		_, err := t.Exec(ctx, "RELEASE SAVEPOINT "+savepoint)
		return err
	}
	if t.db.isVictim(t.aborted) {
		return failed
	}
	for _, statement := range []string{"ROLLBACK TO SAVEPOINT " + savepoint, "RELEASE SAVEPOINT " + savepoint} {
		if _, err := t.conn.ExecContext(ctx, statement); err != nil {
			t.aborted = err
			return errors.Join(failed, t.explain(err))
		}
	}
	t.aborted = nil
	return failed
}

// guard keeps statements from being sent after the transaction is gone, when
// they would take effect by themselves, and remembers when it goes.
func (t *Tx) guard(send func() error) error {
	if t.aborted != nil {
		return fmt.Errorf("rowlock: %w: %w", ErrAborted, t.aborted)
	}
	err := send()
	if err != nil && t.aborts(err) {
		t.aborted = err
	}
	return t.explain(err)
}

// aborts reports whether the transaction is gone after err: on PostgreSQL after
// any error, elsewhere for the victim of a deadlock. PostgreSQL would answer the
// COMMIT of such a transaction with a rollback, and not call it an error.
func (t *Tx) aborts(err error) bool {
	return t.db.cfg.Dialect.Kind() == dialect.KindPostgres || t.db.isVictim(err)
}

// explain gives an error that means a locked row its name. The databases have
// one code for NOWAIT and for a wait that was too long, or mix them up; what was
// asked for tells them apart.
func (t *Tx) explain(err error) error {
	if t.db.cfg.Dialect.Class(err) != dialect.Busy {
		return err
	}
	if t.wait.how == atOnce {
		return fmt.Errorf("%w: %w", ErrBusy, err)
	}
	return fmt.Errorf("%w: %w", ErrWaitTimeout, err)
}

func (t *Tx) rewrite(statement string) string {
	return t.db.cfg.Dialect.Rewrite(statement, map[string]string{
		"lock": t.wait.clause(t.db.cfg.Dialect.Kind()),
	})
}
