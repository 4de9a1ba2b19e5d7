package antipattern

import (
	"context"

	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/rowlock"
)

// SharedOwner re-enters a lock record under the name of the service instance.
// All goroutines of the instance have that name, so the lock that one of them
// holds lets the others in.
type SharedOwner struct {
	Record *rowlock.Record
	// Instance is the name of the service instance.
	Instance string
}

// Acquire implements lock.Locker.
func (s SharedOwner) Acquire(ctx context.Context, key string, opts ...lock.Option) (lock.Lease, error) {
	return s.Record.Acquire(ctx, key, append(opts, lock.WithOwner(s.Instance))...)
}

// TryAcquire implements lock.Locker.
func (s SharedOwner) TryAcquire(ctx context.Context, key string, opts ...lock.Option) (lock.Lease, error) {
	return s.Record.TryAcquire(ctx, key, append(opts, lock.WithOwner(s.Instance))...)
}

// ReleaseByCommit takes the end of the transaction for the release. That frees
// the row for other transactions, but the owner still stands in it: the lock
// stays taken until its time is over, and for ever where it has none.
type ReleaseByCommit struct {
	DB     *rowlock.DB
	Record *rowlock.Record
}

// Acquire implements lock.Locker.
func (r ReleaseByCommit) Acquire(ctx context.Context, key string, opts ...lock.Option) (lock.Lease, error) {
	lease, err := r.Record.Acquire(ctx, key, opts...)
	return r.wrap(lease, err)
}

// TryAcquire implements lock.Locker.
func (r ReleaseByCommit) TryAcquire(ctx context.Context, key string, opts ...lock.Option) (lock.Lease, error) {
	lease, err := r.Record.TryAcquire(ctx, key, opts...)
	return r.wrap(lease, err)
}

func (r ReleaseByCommit) wrap(lease lock.Lease, err error) (lock.Lease, error) {
	if err != nil {
		return nil, err
	}
	return committed{lease, r.DB}, nil
}

type committed struct {
	lock.Lease
	db *rowlock.DB
}

// Release implements lock.Lease.
func (c committed) Release(ctx context.Context) error {
	return c.db.InTx(ctx, rowlock.Wait{}, func(context.Context, *rowlock.Tx) error { return nil })
}
