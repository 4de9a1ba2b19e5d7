package consullock

import (
	"context"

	"github.com/hashicorp/consul/api"

	"github.com/lockstep-sim/lockstep/impl/consullock/internal/engine"
	"github.com/lockstep-sim/lockstep/impl/lock"
)

// Mutex grants every key to one owner at a time. It implements lock.Locker, and
// its leases implement lock.Renewer.
//
// It is not reentrant: a holder that asks again waits for itself, and
// lock.WithOwner is lock.ErrInvalid. It and the Lock of Consul's own client,
// which the command "consul lock" uses too, exclude each other.
type Mutex struct{ engine *engine.Engine }

// New makes a mutex. It sends nothing. A setting that cannot work is
// lock.ErrInvalid.
//
// The client must not limit its requests to less than Config.Wait, for waiters
// send requests that take that long.
func New(client *api.Client, cfg Config) (*Mutex, error) {
	e, err := newEngine(client, cfg)
	if err != nil {
		return nil, err
	}
	return &Mutex{e}, nil
}

func newEngine(client *api.Client, cfg Config) (*engine.Engine, error) {
	if client == nil {
		return nil, engine.Invalid("the client is nil")
	}
	return engine.New(engine.API{Client: client}, engine.Config(cfg))
}

// Acquire implements lock.Locker. Without contention it sends one request, the
// first time another one for the session. When it has to wait, it looks at the
// key with blocking queries and tries again when the key is free.
//
// A key that is empty, longer than 512 bytes or no clean path, and a TTL out of
// bounds, is lock.ErrInvalid; so is a key that holds other data. An error of the
// connection ends the attempt, except that looking waits out an outage of up to
// one TTL. When no answer comes to a request that may have taken the lock, the
// key tells; if that does not answer either, the error is also
// lock.ErrUnknownOutcome, and the lock may stay taken until its session has
// expired.
func (m *Mutex) Acquire(ctx context.Context, key string, opts ...lock.Option) (lock.Lease, error) {
	return m.engine.Acquire(ctx, key, engine.OneKey(key), true, opts)
}

// TryAcquire implements lock.Locker. It sends one request and, when that does
// not succeed, looks and perhaps tries once more. A lock-delay counts as held.
// Its errors are those of Acquire.
func (m *Mutex) TryAcquire(ctx context.Context, key string, opts ...lock.Option) (lock.Lease, error) {
	return m.engine.Acquire(ctx, key, engine.OneKey(key), false, opts)
}

// Close ends every attempt under way with lock.ErrClosed, gives back every
// lease and destroys the session. What cannot be given back because the server
// does not answer is free when its session has expired. Closing again does
// nothing.
func (m *Mutex) Close() error { return m.engine.Close() }
