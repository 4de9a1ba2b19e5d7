package consullock

import (
	"context"
	"hash/fnv"
	"strconv"
	"strings"

	"github.com/hashicorp/consul/api"

	"github.com/lockstep-sim/lockstep/impl/lock"
)

// Semaphore grants every key to a limited number of owners at a time. It
// implements lock.Locker, and its leases implement lock.Renewer.
//
// Every permit is a key of its own, "key/0" to "key/limit-1", taken and freed
// as that of a Mutex; so the permit of a dead holder comes back with its
// session, without anybody tidying up. A token is only comparable with others
// of the same semaphore, and two holders at a time are what it is for.
type Semaphore struct {
	*core
	limit int
}

// maxLimit keeps the answer to one look small.
const maxLimit = 10_000

// NewSemaphore makes a semaphore with limit permits for every key, from 1 to
// 10,000. All its users must agree on the limit: one that finds a permit taken
// under another limit gets lock.ErrInvalid. It sends nothing.
func NewSemaphore(client *api.Client, limit int, cfg Config) (*Semaphore, error) {
	if limit < 1 || limit > maxLimit {
		return nil, invalid("limit %d is not between 1 and %d", limit, maxLimit)
	}
	c, err := newCore(client, cfg)
	if err != nil {
		return nil, err
	}
	return &Semaphore{core: c, limit: limit}, nil
}

// Acquire implements lock.Locker. It waits as that of a Mutex, but always looks
// before it tries.
func (s *Semaphore) Acquire(ctx context.Context, key string, opts ...lock.Option) (lock.Lease, error) {
	return s.acquire(ctx, key, slots{key + "/", s.limit}, true, opts)
}

// TryAcquire implements lock.Locker.
func (s *Semaphore) TryAcquire(ctx context.Context, key string, opts ...lock.Option) (lock.Lease, error) {
	return s.acquire(ctx, key, slots{key + "/", s.limit}, false, opts)
}

// slots is the target of a semaphore.
type slots struct {
	prefix string
	limit  int
}

// flags make the limit known to others.
func (t slots) flags() uint64 { return uint64(t.limit) }

func (slots) guess() []place { return nil }

func (t slots) look(ctx context.Context, b backend, q lookup) ([]place, uint64, error) {
	entries, index, err := b.watchTree(ctx, t.prefix, q.since, q.wait)
	if err != nil {
		return nil, 0, err
	}
	places, err := t.free(entries)
	return rotate(places, q.owner), index, err
}

// free returns the slots that nobody holds, in the order of their numbers.
func (t slots) free(entries []entry) ([]place, error) {
	seen := make(map[int]entry, len(entries))
	for _, e := range entries {
		n, err := strconv.Atoi(strings.TrimPrefix(e.key, t.prefix))
		if err != nil {
			continue // not a slot
		}
		if e.flags != t.flags() {
			return nil, invalid("%q belongs to something else than a semaphore with limit %d, its flags are %d", e.key, t.limit, e.flags)
		}
		seen[n] = e
	}
	var places []place
	for n := range t.limit {
		if e := seen[n]; e.session == "" {
			places = append(places, place{key: t.prefix + strconv.Itoa(n), index: e.index})
		}
	}
	return places, nil
}

// rotate lets every owner begin with another place, so that those who look at
// the same moment do not all try the same one.
func rotate(places []place, owner string) []place {
	if len(places) < 2 {
		return places
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(owner)) // never fails
	n := int(h.Sum32() % uint32(len(places)))
	return append(places[n:len(places):len(places)], places[:n]...)
}
