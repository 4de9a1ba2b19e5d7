package etcdlock

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/lockstep-sim/lockstep/impl/lock"
)

// txnLimit keeps a transaction below the 128 operations that etcd allows.
const txnLimit = 100

// errKeyGone ends a grant whose key was deleted under it.
var errKeyGone = fmt.Errorf("%w: its key was deleted", lock.ErrLost)

// renew is one turn of the watchdog: it prolongs the lease, deletes what could
// not be deleted before, and looks whether the keys of the claims still exist.
// The latter two may fail; the next turn makes up for it.
func (s *session) renew(ctx context.Context) (time.Time, error) {
	before := s.clk.Now()
	ttl, err := s.store.KeepAlive(ctx, s.id)
	switch {
	case errors.Is(err, ErrLeaseNotFound):
		s.expire()
		return time.Time{}, lock.ErrSessionExpired
	case err != nil:
		return time.Time{}, err
	}
	deadline := before.Add(ttl)
	s.life.Extend(deadline)
	s.sweep(ctx)
	s.verify(ctx)
	if s.finished() {
		_ = s.store.Revoke(ctx, s.id)
		return time.Time{}, lock.ErrNotHeld
	}
	return deadline, nil
}

// finished ends a retired session that has lost its last claim to verify.
func (s *session) finished() bool {
	s.mu.Lock()
	idle := s.idle()
	s.mu.Unlock()
	return idle && s.life.End(lock.ErrReleased)
}

// sweep deletes orphaned keys.
func (s *session) sweep(ctx context.Context) {
	s.mu.Lock()
	var txn Txn
	for _, key := range s.orphans[:min(len(s.orphans), txnLimit)] {
		txn.Then = append(txn.Then, Delete(key))
	}
	s.mu.Unlock()
	if len(txn.Then) == 0 {
		return
	}
	if _, err := s.store.Txn(ctx, txn); err != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.orphans = s.orphans[len(txn.Then):]
}

// verify ends the claims whose keys are gone although the lease lives.
func (s *session) verify(ctx context.Context) {
	claims := s.inQueue()
	for len(claims) > 0 {
		some := claims[:min(len(claims), txnLimit)]
		claims = claims[len(some):]
		var txn Txn
		for _, c := range some {
			txn.Then = append(txn.Then, Get(c.key))
		}
		res, err := s.store.Txn(ctx, txn)
		if err != nil {
			return
		}
		for i, c := range some {
			if len(res.Read[i]) == 0 {
				s.lose(c)
			}
		}
	}
}

// inQueue lists the claims that have a key.
func (s *session) inQueue() []*claim {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []*claim
	for _, c := range s.claims {
		if c.revision != 0 {
			out = append(out, c)
		}
	}
	return out
}

// lose ends one claim.
func (s *session) lose(c *claim) {
	s.mu.Lock()
	s.remove(c)
	end := c.end
	s.mu.Unlock()
	end(errKeyGone)
}

// quiesce stops the renewal of a session that serves one grant only, before that
// is released. The others are renewed for the sake of their other grants.
func (s *session) quiesce() {
	s.mu.Lock()
	last := s.retired && len(s.claims) == 1
	s.mu.Unlock()
	if last {
		s.dog.Stop()
	}
}

// prolong renews the lease once, by hand, and returns the time from which its
// new life counts.
func (s *session) prolong(ctx context.Context) (start time.Time, err error) {
	start = s.clk.Now()
	var ttl time.Duration
	err = s.insist(ctx, func(ctx context.Context) (err error) {
		ttl, err = s.store.KeepAlive(ctx, s.id)
		return err
	})
	switch {
	case errors.Is(err, ErrLeaseNotFound):
		s.expire()
		return start, fmt.Errorf("%w: %w", lock.ErrNotHeld, lock.ErrSessionExpired)
	case err != nil:
		return start, err
	case !s.life.Extend(start.Add(ttl)):
		return start, fmt.Errorf("%w: %w", lock.ErrNotHeld, s.life.Err())
	}
	return start, nil
}
