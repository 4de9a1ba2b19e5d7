package rowlock

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"

	"github.com/lockstep-sim/lockstep/impl/internal/sqlengine"
	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/sqllock/dialect"
)

// InTx runs work in a transaction and commits it if work returns nil. Otherwise
// everything is undone, the rows are free again, and the error is that of work.
//
// A transaction that the database undoes as the victim of a deadlock or of a
// serialization failure is run again from its beginning, so what work does
// outside the transaction it must be able to do twice. When the connection
// breaks during the commit, the error is also lock.ErrUnknownOutcome.
//
// Keep the work short: it occupies a connection of the pool, and whoever wants
// the same rows waits. A call to another service does not belong in it.
func (d *DB) InTx(ctx context.Context, w Wait, work func(context.Context, *Tx) error) error {
	err := d.inTx(ctx, w, work)
	var c commitError
	if errors.As(err, &c) && d.cfg.Dialect.Class(err) == dialect.Unknown {
		return fmt.Errorf("%w: %w", lock.ErrUnknownOutcome, err)
	}
	return err
}

// commitError marks the error of a COMMIT.
type commitError struct{ cause error }

func (e commitError) Error() string { return fmt.Sprintf("rowlock: commit: %v", e.cause) }

func (e commitError) Unwrap() error { return e.cause }

// inTx is InTx for callers that find out about a broken commit themselves.
func (d *DB) inTx(ctx context.Context, w Wait, work func(context.Context, *Tx) error) error {
	_, err := sqlengine.Retry(ctx, d.cfg.Clock, d.backoff(), d.cfg.Tries, d.isVictim,
		func(ctx context.Context) (struct{}, error) { return struct{}{}, d.once(ctx, w, work) })
	return err
}

func (d *DB) isVictim(err error) bool { return d.cfg.Dialect.Class(err) == dialect.Retry }

func (d *DB) once(ctx context.Context, w Wait, work func(context.Context, *Tx) error) (err error) {
	tx, err := d.begin(ctx, w)
	if err != nil {
		return fmt.Errorf("rowlock: begin: %w", err)
	}
	committed := false
	defer func() { // also if work panics
		if !committed {
			tx.rollback(ctx)
		}
	}()
	if err := work(ctx, tx); err != nil {
		return err
	}
	if tx.aborted != nil {
		return fmt.Errorf("rowlock: commit: %w: %w", ErrAborted, tx.aborted)
	}
	if err := tx.commit(ctx); err != nil {
		return err
	}
	committed = true
	return nil
}

// begin takes a connection out of the pool and starts a transaction on it.
func (d *DB) begin(ctx context.Context, w Wait) (*Tx, error) {
	conn, err := d.db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	tx := &Tx{db: d, conn: conn, wait: w, script: w.script(d.cfg.Dialect.Kind())}
	if d.cfg.Dialect.Kind() == dialect.KindSQLite {
		err = tx.boundSQLite(ctx)
	}
	for _, statement := range tx.script.begin {
		if err == nil {
			_, err = conn.ExecContext(ctx, statement)
		}
	}
	if err != nil {
		tx.rollback(ctx)
		return nil, tx.explain(err)
	}
	return tx, nil
}

// boundSQLite sets how long SQLite waits for the database, and notes what it was
// before. It can only be set to a number, hence the question.
func (t *Tx) boundSQLite(ctx context.Context) error {
	var before int64
	if err := t.conn.QueryRowContext(ctx, "PRAGMA busy_timeout").Scan(&before); err != nil {
		return err
	}
	limit := t.wait.millis()
	if t.wait.how == atOnce {
		limit = 0
	}
	t.script.end = []string{fmt.Sprintf("PRAGMA busy_timeout = %d", before)}
	_, err := t.conn.ExecContext(ctx, fmt.Sprintf("PRAGMA busy_timeout = %d", limit))
	return err
}

func (t *Tx) commit(ctx context.Context) error {
	if _, err := t.conn.ExecContext(ctx, "COMMIT"); err != nil {
		return commitError{err}
	}
	t.giveBack(ctx)
	return nil
}

// rollback undoes the transaction whatever has become of ctx. If that cannot be
// done, the connection is closed, and the server does it.
func (t *Tx) rollback(ctx context.Context) {
	ctx, cancel := t.db.cfg.Clock.WithTimeout(context.WithoutCancel(ctx), t.db.cfg.RequestTimeout)
	defer cancel()
	_, err := t.conn.ExecContext(ctx, "ROLLBACK")
	if err != nil && !t.nothingToUndo(err) {
		discard(t.conn)
		return
	}
	t.giveBack(ctx)
}

// nothingToUndo: SQLite calls it an error when no transaction is under way, as
// after a BEGIN that found the database busy.
func (t *Tx) nothingToUndo(err error) bool {
	return t.db.cfg.Dialect.Kind() == dialect.KindSQLite && t.db.cfg.Dialect.Class(err) == dialect.Rejected
}

// giveBack returns the connection to the pool as it was, or not at all.
func (t *Tx) giveBack(ctx context.Context) {
	for _, statement := range t.script.end {
		if _, err := t.conn.ExecContext(ctx, statement); err != nil {
			discard(t.conn)
			return
		}
	}
	_ = t.conn.Close() // fails only if it is closed already
}

// discard closes the connection instead of giving it back to the pool, which is
// what the error of driver.ErrBadConn asks database/sql to do.
func discard(conn *sql.Conn) {
	err := conn.Raw(func(any) error { return driver.ErrBadConn })
	if !errors.Is(err, sql.ErrConnDone) {
		_ = conn.Close()
	}
}
