package antipattern

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/lockstep-sim/lockstep/impl/internal/sqlengine"
	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/sqllock"
	"github.com/lockstep-sim/lockstep/impl/sqllock/dialect"
	"github.com/lockstep-sim/lockstep/impl/sqllock/internal/table"
)

// InsertOnly locks by inserting a row and unlocks by deleting it. The unique
// index lets only one insert win, but nothing ever ends the lock of a holder
// that has died.
type InsertOnly struct{ *sqlengine.Engine }

// forever is the TTL, which the engine cannot do without.
const forever = 100 * 365 * 24 * time.Hour

// NewInsertOnly makes one. The settings for the TTL and the renewal have no
// meaning.
func NewInsertOnly(db *sql.DB, cfg sqllock.Config) (*InsertOnly, error) {
	cfg.TTL, cfg.NoRenew, cfg.RenewEvery = forever, true, 0
	e, err := build(db, cfg, func(p table.Protocol) sqlengine.Protocol { return insertOnly{p} })
	if err != nil {
		return nil, err
	}
	return &InsertOnly{e}, nil
}

// Acquire implements lock.Locker.
func (l *InsertOnly) Acquire(ctx context.Context, key string, opts ...lock.Option) (lock.Lease, error) {
	return unending(l.Engine.Acquire(ctx, key, opts...))
}

// TryAcquire implements lock.Locker.
func (l *InsertOnly) TryAcquire(ctx context.Context, key string, opts ...lock.Option) (lock.Lease, error) {
	return unending(l.Engine.TryAcquire(ctx, key, opts...))
}

// endless is a lease without a deadline.
type endless struct{ *sqlengine.Lease }

// Deadline implements lock.Lease.
func (endless) Deadline() time.Time { return time.Time{} }

func unending(l lock.Lease, err error) (lock.Lease, error) {
	if err != nil {
		return nil, err
	}
	return endless{l.(*sqlengine.Lease)}, nil
}

type insertOnly struct{ table.Protocol }

// Grant implements sqlengine.Protocol.
func (p insertOnly) Grant(ctx context.Context, c sqlengine.Claim) (lock.Token, bool, error) {
	_, err := p.Exec(table.Rewrite(p.Dialect, p.Table,
		"INSERT INTO {table} (name, owner, token, expires_ms) VALUES (?, ?, 1, ?)"),
		c.Key, c.Owner, forever.Milliseconds())(ctx)
	if p.Dialect.Class(err) == dialect.Duplicate {
		return 0, false, nil
	}
	return 1, err == nil, err
}

// Renew implements sqlengine.Protocol. Nothing calls it.
func (p insertOnly) Renew(context.Context, sqlengine.Claim) (bool, error) {
	return false, fmt.Errorf("antipattern: %w: a row without an expiry cannot be renewed", lock.ErrInvalid)
}

// Release implements sqlengine.Protocol.
func (p insertOnly) Release(ctx context.Context, c sqlengine.Claim) (bool, error) {
	changed, err := p.Exec(table.Rewrite(p.Dialect, p.Table,
		"DELETE FROM {table} WHERE name = ? AND owner = ?"), c.Key, c.Owner)(ctx)
	return changed > 0, err
}
