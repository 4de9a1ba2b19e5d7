package etcdlock

import (
	"context"
	"fmt"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/lockstep-sim/lockstep/impl/lock"
)

// GuardedPut writes key in etcd if, and only if, lease still holds its lock: the
// write and the check of the lock's key are one transaction, so there is no
// moment between them. It fails with [lock.ErrNotHeld] if the lock has passed
// on, even for a holder that does not know of it yet.
//
// What lies outside etcd cannot be guarded so; there the resource has to refuse
// old tokens (package fencing).
func GuardedPut(ctx context.Context, lease lock.Lease, key, value string) error {
	_, err := GuardedTxn(ctx, lease, Put(key, value, 0))
	return err
}

// GuardedTxn carries out ops in one transaction under the same guard as
// [GuardedPut]. The request is sent once: an error that is neither
// [lock.ErrNotHeld] nor [ErrRefused] is [lock.ErrUnknownOutcome], and a repeated
// call settles it. A lease that is not of this package is [lock.ErrInvalid].
func GuardedTxn(ctx context.Context, lease lock.Lease, ops ...Op) (Result, error) {
	l, ok := lease.(*Lease)
	if !ok {
		return Result{}, fmt.Errorf("etcdlock: guarded write: %w: %T is not a lease of etcdlock", lock.ErrInvalid, lease)
	}
	var res Result
	err := l.c.once(ctx, func(ctx context.Context) (err error) {
		res, err = l.c.store.Txn(ctx, Txn{If: []Compare{l.held()}, Then: ops})
		return err
	})
	switch {
	case !answered(err):
		err = fmt.Errorf("%w: %w", lock.ErrUnknownOutcome, err)
	case err == nil && !res.Succeeded:
		err = fmt.Errorf("%w: the lock's key %s is gone", lock.ErrNotHeld, l.c.key)
	}
	if err != nil {
		return Result{}, fmt.Errorf("etcdlock: guarded write under %q: %w", l.Key(), err)
	}
	return res, nil
}

// IsOwner is the guard as a comparison, for transactions of the caller's own:
//
//	client.Txn(ctx).If(lease.IsOwner()).Then(…)
func (l *Lease) IsOwner() clientv3.Cmp {
	return clientv3.Compare(clientv3.CreateRevision(l.c.key), "=", l.c.revision)
}
