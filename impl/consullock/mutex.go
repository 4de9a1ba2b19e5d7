package consullock

import (
	"context"

	"github.com/hashicorp/consul/api"

	"github.com/lockstep-sim/lockstep/impl/lock"
)

// Mutex grants every key to one owner at a time. It implements lock.Locker, and
// its leases implement lock.Renewer.
//
// It is not reentrant: a holder that asks again waits for itself, and
// lock.WithOwner is lock.ErrInvalid. It and the Lock of Consul's own client,
// which the command "consul lock" uses too, exclude each other.
type Mutex struct{ *core }

// New makes a mutex. It sends nothing. A setting that cannot work is
// lock.ErrInvalid.
//
// The client must not limit its requests to less than Config.Wait, for waiters
// send requests that take that long.
func New(client *api.Client, cfg Config) (*Mutex, error) {
	c, err := newCore(client, cfg)
	if err != nil {
		return nil, err
	}
	return &Mutex{c}, nil
}

// Acquire implements lock.Locker. Without contention it sends one request, the
// first time a second one for the session. When it has to wait, it looks at the
// key with blocking queries and tries again when the key is free.
//
// A key that is empty, longer than 512 bytes or no clean path, and a TTL out of
// bounds, is lock.ErrInvalid; so is a key that holds other data. An error of the
// connection ends the attempt, except that looking waits out an outage of up to
// one TTL.
func (m *Mutex) Acquire(ctx context.Context, key string, opts ...lock.Option) (lock.Lease, error) {
	return m.acquire(ctx, key, oneKey(key), true, opts)
}

// TryAcquire implements lock.Locker. It sends one request and, when that does
// not succeed, looks and perhaps tries once more. A lock-delay counts as held.
func (m *Mutex) TryAcquire(ctx context.Context, key string, opts ...lock.Option) (lock.Lease, error) {
	return m.acquire(ctx, key, oneKey(key), false, opts)
}

// oneKey is the target of a mutex.
type oneKey string

// flags are those of the client's own Lock, which takes others for a conflict.
func (oneKey) flags() uint64 { return api.LockFlagValue }

// guess hopes that nobody has the key: a release deletes it.
func (k oneKey) guess() []place { return []place{{key: string(k)}} }

func (k oneKey) look(ctx context.Context, b backend, q lookup) ([]place, uint64, error) {
	e, index, err := b.watchKey(ctx, string(k), q.since, q.wait)
	switch {
	case err != nil:
		return nil, 0, err
	case e.index != 0 && e.flags != k.flags():
		return nil, 0, invalid("key %q holds something that is not a lock", string(k))
	case e.session != "":
		return nil, index, nil
	}
	return []place{{key: e.key, index: e.index}}, index, nil
}
