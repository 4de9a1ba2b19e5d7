package rowlock

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/lockstep-sim/lockstep/impl/clock"
	"github.com/lockstep-sim/lockstep/impl/internal/sqlengine"
	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/sqllock/dialect"
)

// MutexConfig says how a [Mutex] behaves. Only Dialect must be given.
type MutexConfig struct {
	// Dialect fits the database: dialect.Postgres() or dialect.MySQL().
	Dialect dialect.Dialect

	// Table is the name of the table. Empty means "lockstep_rows".
	Table string

	// Clock is the source of local time. Nil means the real one.
	Clock clock.Clock

	// CheckEvery is how often a holder asks its connection for a sign of life:
	// how late it learns of a loss at most, apart from RequestTimeout. It also
	// keeps the server from taking the transaction for an idle one. Zero means
	// 1 s.
	CheckEvery time.Duration

	// RequestTimeout bounds every request but the wait for the row. Zero means
	// 3 s.
	RequestTimeout time.Duration

	// Slice is how long a waiter waits in one piece. When a caller gives up,
	// its connection is closed, and MySQL notices only at the end of the piece
	// that it no longer needs to wait. Zero means 1 s.
	Slice time.Duration

	// NewOwner makes the identity of a grant. Nil means 26 characters with 128
	// random bits from crypto/rand.
	NewOwner func() string
}

// Mutex locks a row in a transaction that stays open for as long as the lock is
// held. It implements lock.Locker. Its leases are bound to a connection: they
// have no deadline and need no renewal; they end when the connection does, which
// a holder notices within [MutexConfig.CheckEvery]. lock.WithTTL and
// lock.WithFixedLease are lock.ErrInvalid.
//
// There is no fencing token: a count that is raised in the transaction would be
// taken back with it when the holder dies, and be given out again.
//
// Each lock that is held, and each waiter, occupies a connection. Give the mutex
// a pool of its own, or the rest of the program waits for its locks as well.
// PostgreSQL and InnoDB serve waiters roughly in order of arrival.
type Mutex struct {
	db    *DB
	cfg   MutexConfig
	table string
}

// NewMutex makes a mutex. It sends nothing. A setting that cannot work is
// lock.ErrInvalid; SQLite, which has no row to lock, is errors.ErrUnsupported.
func NewMutex(db *sql.DB, cfg MutexConfig) (*Mutex, error) {
	rows, err := New(db, Config{Dialect: cfg.Dialect, Clock: cfg.Clock, RequestTimeout: cfg.RequestTimeout})
	if err != nil {
		return nil, err
	}
	if cfg.Dialect.Kind() == dialect.KindSQLite {
		return nil, fmt.Errorf("rowlock: %w: %w: SQLite locks the whole database, not a row: use sqllock",
			lock.ErrInvalid, errors.ErrUnsupported)
	}
	table, err := checkTable(cfg.Table, "lockstep_rows")
	if err != nil {
		return nil, err
	}
	if cfg.CheckEvery < 0 || cfg.Slice < 0 {
		return nil, fmt.Errorf("rowlock: %w: CheckEvery %v and Slice %v must not be negative",
			lock.ErrInvalid, cfg.CheckEvery, cfg.Slice)
	}
	if cfg.CheckEvery == 0 {
		cfg.CheckEvery = time.Second
	}
	if cfg.Slice == 0 {
		cfg.Slice = time.Second
	}
	if cfg.NewOwner == nil {
		cfg.NewOwner = rand.Text
	}
	return &Mutex{db: rows, cfg: cfg, table: table}, nil
}

// CreateSchema creates the table where it is missing.
func (m *Mutex) CreateSchema(ctx context.Context) error {
	return m.db.createSchema(ctx, map[string]string{"table": m.table},
		"CREATE TABLE IF NOT EXISTS {table} (name {name} NOT NULL PRIMARY KEY)")
}

// Acquire implements lock.Locker.
func (m *Mutex) Acquire(ctx context.Context, key string, opts ...lock.Option) (lock.Lease, error) {
	lease, err := m.attempt(ctx, key, Within(m.cfg.Slice), opts)
	for (errors.Is(err, ErrWaitTimeout) || m.db.isVictim(err)) && ctx.Err() == nil {
		lease, err = m.attempt(ctx, key, Within(m.cfg.Slice), opts)
	}
	return m.result(key, lease, err, ctx.Err())
}

// TryAcquire implements lock.Locker.
func (m *Mutex) TryAcquire(ctx context.Context, key string, opts ...lock.Option) (lock.Lease, error) {
	lease, err := m.attempt(ctx, key, NoWait(), opts)
	return m.result(key, lease, err, ctx.Err())
}

func (m *Mutex) result(key string, lease *rowLease, err, ended error) (lock.Lease, error) {
	switch {
	case err == nil:
		return lease, nil
	case errors.Is(err, lock.ErrInvalid):
		return nil, fmt.Errorf("rowlock: acquire %q: %w", key, err)
	case ended != nil && !errors.Is(err, ended):
		err = errors.Join(ended, err)
	}
	return nil, fmt.Errorf("rowlock: acquire %q: %w: %w", key, lock.ErrNotAcquired, err)
}

// attempt opens a transaction and locks the row in it. Whatever goes wrong, the
// transaction is undone or its connection closed, so nothing is left behind.
func (m *Mutex) attempt(ctx context.Context, key string, w Wait, opts []lock.Option) (*rowLease, error) {
	if err := check(key, lock.NewRequest(opts...)); err != nil {
		return nil, err
	}
	tx, err := m.lockRow(ctx, key, w)
	if errors.Is(err, ErrNoRow) {
		if err = m.create(ctx, key); err == nil {
			tx, err = m.lockRow(ctx, key, w)
		}
	}
	if err != nil {
		return nil, err
	}
	return m.newLease(tx, key), nil
}

func (m *Mutex) lockRow(ctx context.Context, key string, w Wait) (*Tx, error) {
	tx, err := m.db.begin(ctx, w)
	if err != nil {
		return nil, err
	}
	var name string
	err = tx.One(ctx, inTable(m.table, "SELECT name FROM {table} WHERE name = ? {lock}"), []any{key}, &name)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		tx.rollback(ctx)
		return nil, err
	}
	return tx, nil
}

// create makes the row where it is missing, with no transaction open: two that
// have locked an absent row on InnoDB would wait for each other with the insert.
func (m *Mutex) create(ctx context.Context, key string) error {
	statement := "INSERT INTO {table} (name) VALUES (?) ON CONFLICT (name) DO NOTHING"
	if m.cfg.Dialect.Kind() == dialect.KindMySQL {
		statement = "INSERT INTO {table} (name) VALUES (?) ON DUPLICATE KEY UPDATE name = name"
	}
	_, err := m.db.Exec(ctx, inTable(m.table, statement), key)
	return err
}

func check(key string, r lock.Request) error {
	switch {
	case r.Owner != "":
		return fmt.Errorf("%w: this lock is not reentrant, so it takes no owner", lock.ErrInvalid)
	case r.TTL != 0 || r.Fixed:
		return fmt.Errorf("%w: this lock lasts as long as its connection, so it takes no lease time", lock.ErrInvalid)
	}
	return sqlengine.CheckName("key", key)
}
