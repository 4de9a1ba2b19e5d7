package rowlock

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"time"

	"github.com/lockstep-sim/lockstep/impl/clock"
	"github.com/lockstep-sim/lockstep/impl/internal/sqlengine"
	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/sqllock/dialect"
)

// The errors of transactions that lock rows. Test for them with errors.Is; the
// database's own error is joined.
var (
	// ErrBusy: NOWAIT found the row locked by another transaction.
	ErrBusy = errors.New("row is locked")

	// ErrWaitTimeout: the row was still locked when the bounded wait was over.
	ErrWaitTimeout = errors.New("lock wait timed out")

	// ErrAborted: the transaction goes on after an error that has undone it.
	ErrAborted = errors.New("transaction aborted by an earlier error")

	// ErrNoRow: the row to be locked does not exist.
	ErrNoRow = errors.New("no such row")
)

// Config says how transactions behave. Only Dialect must be given.
type Config struct {
	// Dialect fits the database: dialect.SQLite(), dialect.Postgres() or
	// dialect.MySQL().
	Dialect dialect.Dialect

	// Clock is what the pauses between two tries are taken on. Nil means the
	// real one.
	Clock clock.Clock

	// Tries bounds how often a transaction is run that the database undoes as
	// the victim of a deadlock or of a serialization failure. Zero means 5.
	Tries int

	// RequestTimeout bounds the statements that this package sends of its own
	// accord when the caller's context has ended, such as ROLLBACK. Zero means
	// 3 s.
	RequestTimeout time.Duration

	// Rand returns a number in [0, 1) for the spread of the pauses. Nil means
	// math/rand/v2.
	Rand func() float64
}

const (
	defaultTries          = 5
	defaultRequestTimeout = 3 * time.Second
	// The pauses after a deadlock: long enough for the other transaction to
	// end, which is a short one if it is like this one.
	pauseMin, pauseMax = 2 * time.Millisecond, 100 * time.Millisecond
)

// DB runs transactions that lock rows. It is safe for concurrent use.
type DB struct {
	db  *sql.DB
	cfg Config
}

// New makes a DB. It sends nothing. A setting that cannot work is
// lock.ErrInvalid.
func New(db *sql.DB, cfg Config) (*DB, error) {
	switch {
	case db == nil:
		return nil, fmt.Errorf("rowlock: %w: no database", lock.ErrInvalid)
	case cfg.Dialect.Kind() == "":
		return nil, fmt.Errorf("rowlock: %w: no dialect given", lock.ErrInvalid)
	case cfg.Tries < 0 || cfg.RequestTimeout < 0:
		return nil, fmt.Errorf("rowlock: %w: Tries %d and RequestTimeout %v must not be negative",
			lock.ErrInvalid, cfg.Tries, cfg.RequestTimeout)
	}
	cfg.Clock = clock.Or(cfg.Clock)
	if cfg.Tries == 0 {
		cfg.Tries = defaultTries
	}
	if cfg.RequestTimeout == 0 {
		cfg.RequestTimeout = defaultRequestTimeout
	}
	if cfg.Rand == nil {
		cfg.Rand = rand.Float64
	}
	return &DB{db: db, cfg: cfg}, nil
}

// Dialect is the dialect of the database.
func (d *DB) Dialect() dialect.Dialect { return d.cfg.Dialect }

// Exec carries out one statement in a transaction of its own, and returns how
// many rows it changed. The notation is that of [Tx], without {lock}.
func (d *DB) Exec(ctx context.Context, statement string, args ...any) (changed int64, err error) {
	r, err := d.db.ExecContext(ctx, d.cfg.Dialect.Rewrite(statement, nil), args...)
	if err != nil {
		return 0, err
	}
	return r.RowsAffected()
}

// One reads the first row of the result, or returns [ErrNoRow].
func (d *DB) One(ctx context.Context, query string, args []any, dest ...any) error {
	err := d.db.QueryRowContext(ctx, d.cfg.Dialect.Rewrite(query, nil), args...).Scan(dest...)
	if errors.Is(err, sql.ErrNoRows) {
		return ErrNoRow
	}
	return err
}

func (d *DB) backoff() *sqlengine.Backoff {
	return &sqlengine.Backoff{Min: pauseMin, Max: pauseMax, Rand: d.cfg.Rand}
}

// tableName allows what needs no quoting in any of the databases.
var tableName = regexp.MustCompile(`^([A-Za-z_][A-Za-z0-9_]{0,40}\.)?[A-Za-z_][A-Za-z0-9_]{0,40}$`)

// checkTable returns the table of that name, or the default for an empty one.
func checkTable(name, otherwise string) (string, error) {
	switch {
	case name == "":
		return otherwise, nil
	case !tableName.MatchString(name):
		return "", fmt.Errorf("rowlock: %w: table name %q: use up to 41 letters, digits and underscores, "+
			"after a schema and a dot if need be", lock.ErrInvalid, name)
	}
	return name, nil
}
