package rowlock

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/lockstep-sim/lockstep/impl/lock"
)

// rowLease is a transaction that holds a row. It implements lock.Lease.
type rowLease struct {
	*lock.Grant
	tx    *Tx
	alive *lock.Watchdog
}

func (m *Mutex) newLease(tx *Tx, key string) *rowLease {
	l := &rowLease{
		Grant: lock.NewGrant(m.db.cfg.Clock, lock.GrantInfo{Key: key, Owner: m.cfg.NewOwner()}),
		tx:    tx,
	}
	// A watchdog with nothing to prolong: its requests are signs of life.
	l.alive = lock.StartWatchdog(m.db.cfg.Clock, l.Grant, lock.Renewal{
		Every: m.cfg.CheckEvery, Timeout: m.db.cfg.RequestTimeout, Renew: l.check,
	})
	return l
}

// check asks the connection for a sign of life. Without one the lease has ended:
// the server has rolled the transaction back, or does when it notices.
//
// The request does not end with ctx, which a release cancels: the drivers close
// the connection of a cancelled request.
func (l *rowLease) check(ctx context.Context) (time.Time, error) {
	ctx, cancel := l.bounded(ctx)
	defer cancel()
	if _, err := l.tx.conn.ExecContext(ctx, "SELECT 1"); err != nil {
		discard(l.tx.conn)
		return time.Time{}, fmt.Errorf("%w: %w", lock.ErrSessionExpired, err)
	}
	return time.Time{}, nil
}

// Release implements lock.Lease. A commit that fails is lock.ErrNotHeld as well:
// the connection was lost, and nobody knows since when.
func (l *rowLease) Release(ctx context.Context) error {
	l.alive.Stop()
	if !l.End(lock.ErrReleased) {
		return fmt.Errorf("rowlock: release %q: %w", l.Key(), lock.ErrNotHeld)
	}
	ctx, cancel := l.bounded(ctx)
	defer cancel()
	if err := l.tx.commit(ctx); err != nil {
		discard(l.tx.conn)
		return fmt.Errorf("rowlock: release %q: %w", l.Key(), errors.Join(lock.ErrNotHeld, err))
	}
	return nil
}

// bounded is a context for one request that the caller's cannot cut short.
func (l *rowLease) bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	cfg := l.tx.db.cfg
	return cfg.Clock.WithTimeout(context.WithoutCancel(ctx), cfg.RequestTimeout)
}
