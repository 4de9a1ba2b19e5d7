package consullock

import (
	"context"

	"github.com/hashicorp/consul/api"

	"github.com/lockstep-sim/lockstep/impl/consullock/internal/engine"
	"github.com/lockstep-sim/lockstep/impl/lock"
)

// maxLimit keeps the answer to one look small.
const maxLimit = 10_000

// Semaphore grants every key to a limited number of owners at a time. It
// implements lock.Locker, and its leases implement lock.Renewer.
//
// Every permit is a key of its own, "key/0" to "key/limit-1", taken and freed
// as that of a Mutex; so the permit of a dead holder comes back with its
// session, without anybody tidying up. Tokens grow from grant to grant over all
// permits, but that of a holder says nothing against its fellow holders.
type Semaphore struct {
	engine *engine.Engine
	limit  int
}

// NewSemaphore makes a semaphore with limit permits for every key, from 1 to
// 10,000. All its users must agree on the limit: one that finds a permit taken
// under another limit gets lock.ErrInvalid. It sends nothing.
func NewSemaphore(client *api.Client, limit int, cfg Config) (*Semaphore, error) {
	if limit < 1 || limit > maxLimit {
		return nil, engine.Invalid("limit %d is not between 1 and %d", limit, maxLimit)
	}
	e, err := newEngine(client, cfg)
	if err != nil {
		return nil, err
	}
	return &Semaphore{engine: e, limit: limit}, nil
}

// Acquire implements lock.Locker. It is that of a Mutex, except that it always
// looks before it tries: two requests without contention.
func (s *Semaphore) Acquire(ctx context.Context, key string, opts ...lock.Option) (lock.Lease, error) {
	return s.engine.Acquire(ctx, key, s.slots(key), true, opts)
}

// TryAcquire implements lock.Locker.
func (s *Semaphore) TryAcquire(ctx context.Context, key string, opts ...lock.Option) (lock.Lease, error) {
	return s.engine.Acquire(ctx, key, s.slots(key), false, opts)
}

func (s *Semaphore) slots(key string) engine.Slots {
	return engine.Slots{Prefix: key + "/", Limit: s.limit}
}

// Close is that of a Mutex.
func (s *Semaphore) Close() error { return s.engine.Close() }
