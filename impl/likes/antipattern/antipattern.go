// Package antipattern puts a lock and a transaction together wrongly, one way
// each, to be shown and tested: do not use it.
//
// What belongs here: a mistake that a lesson shows, with the sentence that names
// it. What does not: anything that a program could want.
package antipattern

import (
	"context"
	"errors"

	"github.com/lockstep-sim/lockstep/impl/likes"
	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/rowlock"
)

// ReleaseInside takes the lock and gives it back inside the transaction. Between
// the release and the commit the next holder looks, and sees nothing of what is
// about to be committed.
func ReleaseInside(ctx context.Context, s *likes.Service, locker lock.Locker, key string, l likes.Like) error {
	return s.InTx(ctx, func(ctx context.Context, tx *rowlock.Tx) error {
		return lock.Do(ctx, locker, key, func(ctx context.Context) error {
			return s.LikeIn(ctx, tx, l)
		})
	})
}

// Declarative is the same mistake where it cannot be seen: the method locks and
// unlocks as it should, and an annotation on it, here [Transactional], wraps the
// transaction around the whole of it.
func Declarative(ctx context.Context, s *likes.Service, locker lock.Locker, key string, l likes.Like) error {
	method := func(ctx context.Context) (err error) {
		lease, err := locker.Acquire(ctx, key)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, lease.Release(ctx)) }()
		return s.LikeIn(ctx, current(ctx), l)
	}
	return Transactional(s, method)(ctx)
}

// Transactional wraps a method into a transaction, as the annotation of that name
// does: it begins before the method does, and commits after it has returned.
func Transactional(s *likes.Service, method func(context.Context) error) func(context.Context) error {
	return func(ctx context.Context) error {
		return s.InTx(ctx, func(ctx context.Context, tx *rowlock.Tx) error {
			return method(context.WithValue(ctx, txKey{}, tx))
		})
	}
}

type txKey struct{}

// current is the transaction that Transactional has begun.
func current(ctx context.Context) *rowlock.Tx { return ctx.Value(txKey{}).(*rowlock.Tx) }

// EarlySnapshot gives the lock back after the commit, as it should, but has begun
// the transaction and read in it before it was granted the lock. At repeatable
// read that fixes what it sees: whatever the holder before it commits, it does not
// see.
func EarlySnapshot(ctx context.Context, s *likes.Service, locker lock.Locker, key string, l likes.Like) error {
	var lease lock.Lease
	err := s.InTx(ctx, func(ctx context.Context, tx *rowlock.Tx) (err error) {
		if _, err = s.Total(ctx, tx, l.Post); err != nil { // for the page
			return err
		}
		if lease, err = locker.Acquire(ctx, key); err != nil {
			return err
		}
		return s.LikeIn(ctx, tx, l)
	})
	if lease != nil {
		err = errors.Join(err, lease.Release(ctx))
	}
	return err
}
