package likes

import (
	"context"

	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/rowlock"
)

// LikeLocked takes the lock named key and counts the like in a transaction inside
// it: the lock is outside, and given back only after the commit. Whoever is
// granted it next begins a transaction that sees this one. The errors are those of
// lock.Do, [Service.Like] and rowlock.DB.InTx.
func (s *Service) LikeLocked(ctx context.Context, locker lock.Locker, key string, l Like) error {
	return lock.Do(ctx, locker, key, func(ctx context.Context) error {
		return s.InTx(ctx, func(ctx context.Context, tx *rowlock.Tx) error {
			return s.LikeIn(ctx, tx, l)
		})
	})
}

// InTx runs work in a transaction of the service's database.
func (s *Service) InTx(ctx context.Context, work func(context.Context, *rowlock.Tx) error) error {
	return s.db.InTx(ctx, rowlock.Wait{}, work)
}
