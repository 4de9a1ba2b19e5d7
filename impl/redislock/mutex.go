package redislock

import (
	"context"

	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/redislock/internal/engine"
	"github.com/lockstep-sim/lockstep/impl/redislock/internal/mutex"
)

// Mutex grants every key to one owner at a time. It implements lock.Locker, and
// its leases implement lock.Renewer.
//
// It is not reentrant: a holder that asks again waits for itself, and
// lock.WithOwner is lock.ErrInvalid.
type Mutex struct{ engine *engine.Engine }

// New makes a mutex. It sends nothing. A setting that cannot work is
// lock.ErrInvalid.
func New(rdb Client, cfg Config) (*Mutex, error) {
	e, err := engine.New(rdb, mutex.Protocol{Conn: engine.NewConn(rdb, cfg.Clock), Fencing: cfg.Fencing}, engine.Config(cfg))
	if err != nil {
		return nil, err
	}
	return &Mutex{engine: e}, nil
}

// Acquire implements lock.Locker. Without contention it sends one request; when
// it has to wait, it subscribes and tries again at every release, and when the
// holder's lease should have ended.
//
// A key that is empty or longer than 1024 bytes, and a TTL below 10 ms, is
// lock.ErrInvalid. An error of the connection ends the waiting. When a request
// went out and no answer came, the lock is given back under this attempt's
// owner; if that fails too, the error is also lock.ErrUnknownOutcome, and the
// lock may stay taken for one TTL.
func (m *Mutex) Acquire(ctx context.Context, key string, opts ...lock.Option) (lock.Lease, error) {
	return m.engine.Acquire(ctx, key, opts...)
}

// TryAcquire implements lock.Locker. It sends one request; its errors are those
// of Acquire.
func (m *Mutex) TryAcquire(ctx context.Context, key string, opts ...lock.Option) (lock.Lease, error) {
	return m.engine.TryAcquire(ctx, key, opts...)
}
