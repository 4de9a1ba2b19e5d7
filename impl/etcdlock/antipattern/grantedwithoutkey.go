package antipattern

import (
	"context"

	"github.com/lockstep-sim/lockstep/impl/etcdlock"
	"github.com/lockstep-sim/lockstep/impl/lock"
)

// GrantedWithoutKey is WRONG: a waiter in the queue takes the absence of others
// for its turn, and does not look whether its own key is still there. If its
// lease has ended while it waited, the key has gone with it; when its
// predecessor leaves, it is told that it holds a lock which anybody can get, as
// once happened to users of etcd's own mutex (etcd-io/etcd issue 11456).
// Instead: look for the own key too, and fail with an expired session.
//
// It implements lock.Locker. Its leases end by their release only.
type GrantedWithoutKey struct{ base }

// NewGrantedWithoutKey makes one; the arguments are those of
// etcdlock.NewOnStore.
func NewGrantedWithoutKey(store etcdlock.Store, cfg etcdlock.Config) (*GrantedWithoutKey, error) {
	b, err := newBase(store, cfg)
	if err != nil {
		return nil, err
	}
	return &GrantedWithoutKey{b}, nil
}

// place is a key in the queue.
type place struct {
	*session
	prefix   string
	key      string
	revision int64
}

// Acquire implements lock.Locker.
func (l *GrantedWithoutKey) Acquire(ctx context.Context, key string, opts ...lock.Option) (lock.Lease, error) {
	p, err := l.enter(ctx, key, opts)
	if err != nil {
		return nil, err
	}
	for {
		ahead, err := p.ahead(ctx)
		if err == nil && ahead == "" {
			return p.grantUnseen(key), nil
		}
		if err == nil {
			err = p.waitFree(ctx, ahead, p.revision)
		}
		if err != nil {
			return nil, p.giveUp(ctx, key, err)
		}
	}
}

// TryAcquire implements lock.Locker.
func (l *GrantedWithoutKey) TryAcquire(ctx context.Context, key string, opts ...lock.Option) (lock.Lease, error) {
	p, err := l.enter(ctx, key, opts)
	if err != nil {
		return nil, err
	}
	ahead, err := p.ahead(ctx)
	switch {
	case err != nil:
		return nil, p.giveUp(ctx, key, err)
	case ahead != "":
		return nil, p.giveUp(ctx, key, errBusy)
	}
	return p.grantUnseen(key), nil
}

// enter puts a key at the end of the queue.
func (l *GrantedWithoutKey) enter(ctx context.Context, key string, opts []lock.Option) (*place, error) {
	s, err := l.open(ctx, key, opts)
	if err != nil {
		return nil, err
	}
	p := &place{session: s, prefix: key + "/", key: key + "/" + s.owner}
	created := false
	p.revision, created, err = s.create(ctx, p.key)
	if err == nil && !created {
		err = errBusy // an owner name was used twice
	}
	if err != nil {
		return nil, s.giveUp(ctx, key, err)
	}
	return p, nil
}

// ahead makes the mistake: it reads the keys that were created before its own,
// and not its own.
func (p *place) ahead(ctx context.Context) (key string, err error) {
	res, err := p.txn(ctx, etcdlock.Txn{
		Then: []etcdlock.Op{etcdlock.Newest(p.prefix, 1, p.revision-1)},
	})
	if err != nil || len(res.Read[0]) == 0 {
		return "", err
	}
	return res.Read[0][0].Key, nil
}

// grantUnseen makes a lease that has not heard of the session's end either.
func (p *place) grantUnseen(key string) lock.Lease {
	grant := lock.NewGrant(p.clk, p.info(key, p.revision))
	return &lease{Grant: grant, release: p.compareAndDelete(grant, p.key, p.revision)}
}
