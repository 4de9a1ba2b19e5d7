package antipattern

import (
	"context"
	"fmt"

	"github.com/lockstep-sim/lockstep/impl/etcdlock"
	"github.com/lockstep-sim/lockstep/impl/lock"
)

// lease is one grant: its local half and how to give it back.
type lease struct {
	*lock.Grant
	release func(ctx context.Context) error
}

// Release implements lock.Lease.
func (l *lease) Release(ctx context.Context) error {
	if err := l.release(ctx); err != nil {
		return fmt.Errorf("antipattern: release %q: %w", l.Key(), err)
	}
	return nil
}

// info describes a grant whose key was created at revision.
func (s *session) info(key string, revision int64) lock.GrantInfo {
	return lock.GrantInfo{Key: key, Owner: s.owner, Token: lock.Token(revision), HasToken: true}
}

// bound makes a lease that ends with the session.
func (s *session) bound(key string, revision int64) *lock.Grant {
	grant := lock.NewGrant(s.clk, s.info(key, revision))
	s.life.OnEnd(func() { grant.End(s.life.Err()) })
	return grant
}

// compareAndDelete is the correct release: it ends the lease, and deletes the
// key if it is still the one that was granted.
func (s *session) compareAndDelete(grant *lock.Grant, key string, revision int64) func(context.Context) error {
	return func(ctx context.Context) error {
		if !grant.End(lock.ErrReleased) {
			return lock.ErrNotHeld
		}
		s.dog.Stop()
		res, err := s.txn(ctx, etcdlock.Txn{
			If:   []etcdlock.Compare{{Key: key, CreateRevision: revision}},
			Then: []etcdlock.Op{etcdlock.Delete(key)},
		})
		if closed := s.close(ctx); err == nil {
			err = closed
		}
		if err == nil && !res.Succeeded {
			return lock.ErrNotHeld
		}
		return err
	}
}
