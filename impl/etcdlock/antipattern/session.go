package antipattern

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/lockstep-sim/lockstep/impl/clock"
	"github.com/lockstep-sim/lockstep/impl/etcdlock"
	"github.com/lockstep-sim/lockstep/impl/lock"
)

// errBusy is the reason why a try fails.
var errBusy = errors.New("somebody else holds it")

// base opens sessions.
type base struct {
	store etcdlock.Store
	clk   clock.Clock
	cfg   etcdlock.Config
}

// newBase takes over the settings of a correct lock, so that the two can be
// exchanged.
func newBase(store etcdlock.Store, cfg etcdlock.Config) (base, error) {
	cfg, err := cfg.WithDefaults()
	if err != nil {
		return base{}, fmt.Errorf("antipattern: %w", err)
	}
	return base{store: store, clk: cfg.Clock, cfg: cfg}, nil
}

// session is one etcd lease, for one grant.
type session struct {
	base
	id    etcdlock.LeaseID
	owner string
	life  *lock.Grant
	dog   *lock.Watchdog
}

// open asks for a lease and renews it in the background.
func (b base) open(ctx context.Context, key string, opts []lock.Option) (*session, error) {
	req := lock.NewRequest(opts...)
	if key == "" || req.Owner != "" || req.Fixed {
		return nil, fmt.Errorf("antipattern: acquire %q: %w: no key, or an option other than WithTTL", key, lock.ErrInvalid)
	}
	if req.TTL == 0 {
		req.TTL = b.cfg.TTL
	}
	s := &session{base: b, id: b.cfg.NewLeaseID(), owner: b.cfg.NewOwner()}
	sent := b.clk.Now()
	var ttl time.Duration
	err := b.ask(ctx, func(ctx context.Context) (err error) {
		ttl, err = b.store.Grant(ctx, s.id, req.TTL)
		return err
	})
	if err != nil {
		return nil, refusal(key, err)
	}
	s.life = lock.NewGrant(b.clk, lock.GrantInfo{Key: "session", Owner: s.owner, Deadline: sent.Add(ttl)})
	s.dog = s.watchdog(s.life, sent, ttl)
	return s, nil
}

// watchdog renews the lease and prolongs grant with it.
func (s *session) watchdog(grant *lock.Grant, sent time.Time, ttl time.Duration) *lock.Watchdog {
	return lock.StartWatchdog(s.clk, grant, lock.Renewal{
		From: sent, Every: ttl / 3, Timeout: s.cfg.RequestTimeout,
		Renew: func(ctx context.Context) (time.Time, error) {
			before := s.clk.Now()
			ttl, err := s.store.KeepAlive(ctx, s.id)
			if errors.Is(err, etcdlock.ErrLeaseNotFound) {
				err = lock.ErrSessionExpired
			}
			return before.Add(ttl), err
		},
	})
}

// close ends the renewal and revokes the lease, and its keys with it.
func (s *session) close(ctx context.Context) error {
	s.dog.Stop()
	s.life.End(lock.ErrReleased)
	err := s.ask(context.WithoutCancel(ctx), func(ctx context.Context) error {
		return s.store.Revoke(ctx, s.id)
	})
	if errors.Is(err, etcdlock.ErrLeaseNotFound) {
		return nil
	}
	return err
}

// giveUp closes the session of a call that failed and returns the reason.
func (s *session) giveUp(ctx context.Context, key string, reason error) error {
	if err := s.close(ctx); err != nil {
		reason = fmt.Errorf("%w; and the session could not be closed: %w", reason, err)
	}
	return refusal(key, reason)
}

func refusal(key string, reason error) error {
	return fmt.Errorf("antipattern: acquire %q: %w: %w", key, lock.ErrNotAcquired, reason)
}

// ask sends one request with a limit on its time.
func (b base) ask(ctx context.Context, request func(context.Context) error) error {
	ctx, cancel := b.clk.WithTimeout(ctx, b.cfg.RequestTimeout)
	defer cancel()
	return request(ctx)
}

// txn sends one transaction.
func (b base) txn(ctx context.Context, txn etcdlock.Txn) (res etcdlock.Result, err error) {
	err = b.ask(ctx, func(ctx context.Context) (err error) {
		res, err = b.store.Txn(ctx, txn)
		return err
	})
	return res, err
}
