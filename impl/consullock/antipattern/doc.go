// Package antipattern holds locks on Consul that are WRONG, each in one respect:
// an index that never goes back, a session taken for an owner.
//
// They exist to be watched failing, by lessons, scenarios and tests. Nothing
// else may import them. Except for its one mistake each is package consullock
// itself: the same session, the same waiting, the same local deadline.
//
// What belongs here: one type a file, whose doc names the mistake, what it
// leads to, and what to do instead. What does not: anything worth copying.
package antipattern

import (
	"context"

	"github.com/hashicorp/consul/api"

	"github.com/lockstep-sim/lockstep/impl/consullock"
	"github.com/lockstep-sim/lockstep/impl/consullock/internal/engine"
	"github.com/lockstep-sim/lockstep/impl/lock"
)

// locker is what the types of this package have in common: everything but the
// mistake, which is in the backend or in the target.
type locker struct {
	engine *engine.Engine
	target func(key string) engine.Target
}

func newLocker(b engine.Backend, cfg consullock.Config, target func(string) engine.Target) (locker, error) {
	e, err := engine.New(b, engine.Config(cfg))
	return locker{e, target}, err
}

// rightTarget is that of consullock.Mutex.
func rightTarget(key string) engine.Target { return engine.OneKey(key) }

// rightBackend is that of consullock.Mutex.
func rightBackend(client *api.Client) engine.API { return engine.API{Client: client} }

// Acquire implements lock.Locker.
func (l locker) Acquire(ctx context.Context, key string, opts ...lock.Option) (lock.Lease, error) {
	return l.engine.Acquire(ctx, key, l.target(key), true, opts)
}

// TryAcquire implements lock.Locker.
func (l locker) TryAcquire(ctx context.Context, key string, opts ...lock.Option) (lock.Lease, error) {
	return l.engine.Acquire(ctx, key, l.target(key), false, opts)
}

// Close is that of consullock.Mutex.
func (l locker) Close() error { return l.engine.Close() }
