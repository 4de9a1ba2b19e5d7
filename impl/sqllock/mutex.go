package sqllock

import (
	"context"
	"database/sql"

	"github.com/lockstep-sim/lockstep/impl/internal/sqlengine"
	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/sqllock/internal/table"
)

// MaxKey is the longest key, in bytes.
const MaxKey = sqlengine.MaxKey

// Mutex grants every key to one owner at a time. It implements lock.Locker, and
// its leases implement lock.Renewer.
//
// It is not reentrant: a holder that asks again waits for itself, and
// lock.WithOwner is lock.ErrInvalid. It has nothing to close; the database is
// the caller's.
type Mutex struct {
	engine   *sqlengine.Engine
	protocol table.Protocol
}

// New makes a mutex. It sends nothing: [Mutex.CreateSchema] creates the tables.
// A setting that cannot work is lock.ErrInvalid.
func New(db *sql.DB, cfg Config) (*Mutex, error) {
	protocol, err := table.NewProtocol(db, table.Config(cfg))
	if err != nil {
		return nil, err
	}
	engine, err := sqlengine.New(protocol, table.Config(cfg).Engine())
	if err != nil {
		return nil, err
	}
	return &Mutex{engine: engine, protocol: protocol}, nil
}

// Acquire implements lock.Locker. Without contention it sends one statement;
// when it has to wait, it tries again after each of its pauses.
//
// A key that is empty, longer than [MaxKey] bytes, not UTF-8 or with a NUL in
// it, and a TTL below 10 ms, is lock.ErrInvalid. A deadlock, a serialization
// failure or a busy database is not an error of Acquire: it tries again. Any
// other error ends the waiting. When a statement went out and no answer came,
// the lock is given back under this attempt's owner; if that fails too, the
// error is also lock.ErrUnknownOutcome, and the lock may stay taken for one TTL.
func (m *Mutex) Acquire(ctx context.Context, key string, opts ...lock.Option) (lock.Lease, error) {
	return m.engine.Acquire(ctx, key, opts...)
}

// TryAcquire implements lock.Locker. It sends one statement, and up to three
// more if the database turns it away as busy or as the victim of a deadlock,
// which is then part of the error. Its other errors are those of Acquire.
func (m *Mutex) TryAcquire(ctx context.Context, key string, opts ...lock.Option) (lock.Lease, error) {
	return m.engine.TryAcquire(ctx, key, opts...)
}

// Wake lets one waiter of this mutex look again at key, and WakeAll one waiter
// for each key. They are for listeners that hear of a release in another
// process. A call without a release does no harm.
func (m *Mutex) Wake(key string) { m.engine.Wake(key) }

// WakeAll is described at [Mutex.Wake].
func (m *Mutex) WakeAll() { m.engine.WakeAll() }
