package antipattern

import (
	"context"

	"github.com/lockstep-sim/lockstep/impl/etcdlock"
	"github.com/lockstep-sim/lockstep/impl/lock"
)

// UnconditionalDelete is WRONG: it releases by deleting the lock's key, whoever
// created it. A holder whose lease has lapsed deletes the key of its successor,
// and a third one gets in beside that: the mistaken DEL of Redis once more.
// Instead: delete in a transaction that compares the create revision, or revoke
// the own lease and delete nothing.
//
// It implements lock.Locker.
type UnconditionalDelete struct{ *HerdWatch }

// NewUnconditionalDelete makes one; the arguments are those of
// etcdlock.NewOnStore.
func NewUnconditionalDelete(store etcdlock.Store, cfg etcdlock.Config) (*UnconditionalDelete, error) {
	l, err := NewHerdWatch(store, cfg)
	if err != nil {
		return nil, err
	}
	l.grant = (*session).grantDeletedUnseen
	return &UnconditionalDelete{l}, nil
}

func (s *session) grantDeletedUnseen(key string, revision int64) lock.Lease {
	grant := s.bound(key, revision)
	return &lease{Grant: grant, release: func(ctx context.Context) error {
		return s.deleteUnseen(ctx, grant, key)
	}}
}

// deleteUnseen makes the mistake.
func (s *session) deleteUnseen(ctx context.Context, grant *lock.Grant, key string) error {
	s.dog.Stop()
	_, err := s.txn(ctx, etcdlock.Txn{Then: []etcdlock.Op{etcdlock.Delete(key)}})
	grant.End(lock.ErrReleased)
	if closed := s.close(ctx); err == nil {
		err = closed
	}
	return err
}
