package antipattern

import (
	"context"

	"github.com/hashicorp/consul/api"

	"github.com/lockstep-sim/lockstep/impl/consullock"
	"github.com/lockstep-sim/lockstep/impl/consullock/internal/engine"
)

// StuckIndex is WRONG: its waiters keep the largest index that they have seen,
// and take an answer with no larger one for "nothing new". Indexes do go
// backwards, when the servers are restored from a backup for one. The waiter
// then waits for the new indexes to catch up with the old ones, however often
// the lock is free meanwhile. Instead: begin again at index 0 when the index of
// an answer is smaller than the one before.
//
// It implements lock.Locker.
type StuckIndex struct{ locker }

// NewStuckIndex makes one; the arguments are those of consullock.New.
func NewStuckIndex(client *api.Client, cfg consullock.Config) (*StuckIndex, error) {
	l, err := newLocker(rightBackend(client), cfg, func(key string) engine.Target {
		return stuckIndex{engine.OneKey(key)}
	})
	if err != nil {
		return nil, err
	}
	return &StuckIndex{l}, nil
}

type stuckIndex struct{ engine.OneKey }

func (k stuckIndex) Follow(since, got uint64) uint64 { return max(since, got) }

func (k stuckIndex) Look(ctx context.Context, b engine.Backend, q engine.Lookup) ([]engine.Place, uint64, error) {
	places, index, err := k.OneKey.Look(ctx, b, q)
	if q.Since > 0 && index <= q.Since {
		return nil, index, err // nothing new, it thinks
	}
	return places, index, err
}
