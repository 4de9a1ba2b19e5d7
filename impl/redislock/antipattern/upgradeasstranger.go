package antipattern

import (
	"context"

	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/redislock"
)

// UpgradeAsStranger is WRONG: who asks to write does not say that it reads
// already, so the store takes it for somebody else and lets it wait for all
// readers, itself included. Two readers that want to write wait for each other,
// and even a single one waits for itself. Instead: name the owner in both modes,
// and refuse the upgrade.
//
// It implements lock.Locker, which writes, and has both modes beside that.
type UpgradeAsStranger struct {
	*redislock.ReadWrite
	lock.Locker
}

// NewUpgradeAsStranger makes one; the arguments are those of redislock.New.
func NewUpgradeAsStranger(rdb redislock.Client, cfg redislock.Config) (*UpgradeAsStranger, error) {
	rw, err := redislock.NewReadWrite(rdb, cfg)
	if err != nil {
		return nil, err
	}
	return &UpgradeAsStranger{rw, stranger{rw.Writer()}}, nil
}

// Writer is the lock for writing.
func (u *UpgradeAsStranger) Writer() lock.Locker { return u.Locker }

// stranger makes the mistake.
type stranger struct{ lock.Locker }

// Acquire implements lock.Locker.
func (s stranger) Acquire(ctx context.Context, key string, _ ...lock.Option) (lock.Lease, error) {
	return s.Locker.Acquire(ctx, key)
}

// TryAcquire implements lock.Locker.
func (s stranger) TryAcquire(ctx context.Context, key string, _ ...lock.Option) (lock.Lease, error) {
	return s.Locker.TryAcquire(ctx, key)
}
