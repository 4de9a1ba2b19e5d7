package antipattern

import (
	"context"

	"github.com/lockstep-sim/lockstep/impl/etcdlock"
	"github.com/lockstep-sim/lockstep/impl/lock"
)

// HerdWatch is WRONG: all waiters watch the one key that is the lock, so every
// release wakes all of them for the one place that is free. With n waiters that
// is n requests a hand-off, n² for all of them to have had their turn, and who
// is next is up to chance. Instead: a queue of keys in which each waiter watches
// its predecessor.
//
// It implements lock.Locker. Exclusion it does grant.
type HerdWatch struct {
	base
	// What the other mistakes replace: how a caller waits that was refused at a
	// revision, and how a grant is made of the key that the session has created.
	wait  func(s *session, ctx context.Context, key string, refused int64) error
	grant func(s *session, key string, revision int64) lock.Lease
}

// NewHerdWatch makes one; the arguments are those of etcdlock.NewOnStore.
func NewHerdWatch(store etcdlock.Store, cfg etcdlock.Config) (*HerdWatch, error) {
	b, err := newBase(store, cfg)
	if err != nil {
		return nil, err
	}
	return &HerdWatch{base: b, wait: (*session).waitFree, grant: (*session).grant}, nil
}

// Acquire implements lock.Locker. It makes the mistake.
func (l *HerdWatch) Acquire(ctx context.Context, key string, opts ...lock.Option) (lock.Lease, error) {
	s, err := l.open(ctx, key, opts)
	if err != nil {
		return nil, err
	}
	for {
		revision, created, err := s.create(ctx, key)
		if err == nil && created {
			return l.grant(s, key, revision), nil
		}
		if err == nil {
			err = l.wait(s, ctx, key, revision)
		}
		if err != nil {
			return nil, s.giveUp(ctx, key, err)
		}
	}
}

// TryAcquire implements lock.Locker.
func (l *HerdWatch) TryAcquire(ctx context.Context, key string, opts ...lock.Option) (lock.Lease, error) {
	s, err := l.open(ctx, key, opts)
	if err != nil {
		return nil, err
	}
	revision, created, err := s.create(ctx, key)
	if err == nil && created {
		return l.grant(s, key, revision), nil
	}
	if err == nil {
		err = errBusy
	}
	return nil, s.giveUp(ctx, key, err)
}

// create takes the lock if there is no such key.
func (s *session) create(ctx context.Context, key string) (revision int64, created bool, err error) {
	res, err := s.txn(ctx, etcdlock.Txn{
		If:   []etcdlock.Compare{{Key: key, CreateRevision: 0}},
		Then: []etcdlock.Op{etcdlock.Put(key, s.owner, s.id)},
	})
	return res.Revision, res.Succeeded, err
}

// waitFree waits until the key is gone: it opens a watch and looks again, so a
// key that went before the watch is not waited for.
func (s *session) waitFree(ctx context.Context, key string, _ int64) error {
	watch, err := s.store.Watch(ctx, key)
	if err != nil {
		return err
	}
	defer watch.Close()
	res, err := s.txn(ctx, etcdlock.Txn{Then: []etcdlock.Op{etcdlock.Get(key)}})
	if err != nil || len(res.Read[0]) == 0 {
		return err
	}
	return watch.WaitDeleted(ctx)
}

// grant makes a lease that ends with the session and is released by comparing.
func (s *session) grant(key string, revision int64) lock.Lease {
	grant := s.bound(key, revision)
	return &lease{Grant: grant, release: s.compareAndDelete(grant, key, revision)}
}
