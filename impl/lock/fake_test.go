package lock_test

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/lockstep-sim/lockstep/impl/clock"
	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/lock/antipattern"
)

// local is a lock within this process that notes what was asked of it.
type local struct {
	*antipattern.LocalMutex

	mu     sync.Mutex
	log    []string
	leases []*localLease
	// refuse and stuck are the errors of every Acquire and of every Release.
	refuse, stuck error
}

func newLocal() *local { return &local{LocalMutex: antipattern.NewLocalMutex(nil)} }

func (l *local) note(what string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.log = append(l.log, what)
}

func (l *local) noted() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.log)
}

// Acquire implements lock.Locker.
func (l *local) Acquire(ctx context.Context, key string, opts ...lock.Option) (lock.Lease, error) {
	if l.refuse != nil {
		return nil, l.refuse
	}
	return l.wrap(l.LocalMutex.Acquire(ctx, key, opts...))
}

// TryAcquire implements lock.Locker.
func (l *local) TryAcquire(ctx context.Context, key string, opts ...lock.Option) (lock.Lease, error) {
	if l.refuse != nil {
		return nil, l.refuse
	}
	return l.wrap(l.LocalMutex.TryAcquire(ctx, key, opts...))
}

func (l *local) wrap(lease lock.Lease, err error) (lock.Lease, error) {
	if err != nil {
		return nil, err
	}
	l.note("lock " + lease.Key())
	w := &localLease{
		Grant: lock.NewGrant(clock.Real(), lock.GrantInfo{Key: lease.Key(), Owner: lease.Owner()}),
		under: lease, locker: l,
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.leases = append(l.leases, w)
	return w, nil
}

// lose ends all leases as the backend would.
func (l *local) lose() {
	l.mu.Lock()
	leases := slices.Clone(l.leases)
	l.mu.Unlock()
	for _, lease := range leases {
		lease.End(lock.ErrLost)
	}
}

type localLease struct {
	*lock.Grant
	under  lock.Lease
	locker *local
}

// Release implements lock.Lease.
func (l *localLease) Release(ctx context.Context) error {
	l.locker.note("unlock " + l.Key())
	held := l.End(lock.ErrReleased)
	if l.locker.stuck != nil {
		return l.locker.stuck
	}
	if err := l.under.Release(ctx); err != nil || !held {
		return errors.Join(lock.ErrNotHeld, err)
	}
	return nil
}

// channelOnly is a lease that is not built on lock.Grant.
type channelOnly struct{ lock.Lease }

// plain is a Locker of such leases.
type plain struct{ *local }

// Acquire implements lock.Locker.
func (p plain) Acquire(ctx context.Context, key string, opts ...lock.Option) (lock.Lease, error) {
	lease, err := p.local.Acquire(ctx, key, opts...)
	if err != nil {
		return nil, err
	}
	return channelOnly{lease}, nil
}
