package runner

import (
	"context"

	"github.com/lockstep-sim/lockstep/impl/clock"
	"github.com/lockstep-sim/lockstep/impl/lock"
	lockanti "github.com/lockstep-sim/lockstep/impl/lock/antipattern"
	"github.com/lockstep-sim/lockstep/impl/redislock"
)

// redisMultiKinds take several locks at once.
var redisMultiKinds = map[string]func(*redisBackend, *client, redislock.Config) (lock.Locker, error){
	"redis/multi":      multi(lock.NewMulti),
	"redis/multi-kept": multi(lockanti.NewForgetfulMulti),
}

// multi builds a lock of all locks of the scenario. It goes by the name of the
// first; whoever asks for another one gets that one alone.
func multi[L lock.Locker](
	build func(clock.Clock, ...lock.Member) (L, error),
) func(*redisBackend, *client, redislock.Config) (lock.Locker, error) {
	return func(b *redisBackend, c *client, cfg redislock.Config) (lock.Locker, error) {
		one, err := redislock.New(b.client(c), cfg)
		if err != nil {
			return nil, err
		}
		var members []lock.Member
		for _, key := range b.x.lockKeys() {
			members = append(members, lock.Member{Locker: one, Name: func(string) string { return key }})
		}
		all, err := build(c.clk, members...)
		return byKey{first: b.x.sc.Lock(), all: all, one: one}, err
	}
}

// byKey asks for all locks at once under the name of the first, and for any
// other by itself.
type byKey struct {
	first    string
	all, one lock.Locker
}

// Acquire implements lock.Locker.
func (l byKey) Acquire(ctx context.Context, key string, opts ...lock.Option) (lock.Lease, error) {
	return l.of(key).Acquire(ctx, key, opts...)
}

// TryAcquire implements lock.Locker.
func (l byKey) TryAcquire(ctx context.Context, key string, opts ...lock.Option) (lock.Lease, error) {
	return l.of(key).TryAcquire(ctx, key, opts...)
}

func (l byKey) of(key string) lock.Locker {
	if key == l.first {
		return l.all
	}
	return l.one
}
