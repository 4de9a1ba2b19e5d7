package etcdlock

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/lockstep-sim/lockstep/impl/lock"
)

// session is an etcd lease that is renewed in the background, and the claims
// that live on it.
//
// A retired session takes no new claims and ends with its last one. One is
// retired from the start if it serves a single grant with a TTL of its own, and
// later if a request that writes a key got no answer: such a request may arrive
// late, and writes nothing once its lease is revoked.
type session struct {
	caller
	id   LeaseID
	born time.Time   // before the grant was asked for
	life *lock.Grant // the local half of the lease
	dog  *lock.Watchdog

	mu      sync.Mutex
	claims  []*claim // in the order of their coming
	orphans []string // keys that could not be deleted
	retired bool
	ended   bool
}

// startSession begins to renew the lease named id, which was asked for at born
// and granted for ttl.
func startSession(c caller, id LeaseID, born time.Time, ttl time.Duration) *session {
	s := &session{caller: c, id: id, born: born}
	s.life = lock.NewGrant(c.clk, lock.GrantInfo{
		Key: "session", Owner: leaseName(id), Deadline: born.Add(ttl),
	})
	s.life.OnEnd(s.endClaims)
	s.dog = lock.StartWatchdog(c.clk, s.life, lock.Renewal{
		From: born, Every: ttl / 3, Timeout: c.timeout, Renew: s.renew,
	})
	return s
}

// alive reports whether the session has neither ended nor passed its deadline.
// It does not rely on the deadline's timer, which may come late in a process
// that was stopped for a while.
func (s *session) alive() bool {
	if !s.clk.Now().Before(s.life.Deadline()) {
		s.life.End(lock.ErrLost)
	}
	return s.life.Err() == nil
}

// usable reports whether the session takes new claims. It ends nothing, so it
// may be asked with a mutex held.
func (s *session) usable() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.open()
}

// open is usable for a caller that holds s.mu.
func (s *session) open() bool {
	return !s.ended && !s.retired && s.clk.Now().Before(s.life.Deadline())
}

// retire makes the session end with its last claim.
func (s *session) retire() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.retired = true
}

// expire notes that etcd no longer knows the lease.
func (s *session) expire() { s.life.End(lock.ErrSessionExpired) }

// endClaims tells all claims why the session has ended.
func (s *session) endClaims() {
	s.mu.Lock()
	s.ended = true
	var ends []func(error)
	for _, c := range s.claims {
		ends = append(ends, c.end)
	}
	s.claims = nil
	s.mu.Unlock()
	for _, end := range ends {
		end(s.life.Err())
	}
}

// close ends the session and gives its lease back to etcd. Those who hold a
// lock by it learn so before etcd does.
func (s *session) close(ctx context.Context, reason error) error {
	ended := !s.life.End(reason)
	s.dog.Stop()
	if ended && errors.Is(s.life.Err(), lock.ErrReleased) {
		return nil // it has been closed before
	}
	err := s.insist(context.WithoutCancel(ctx), func(ctx context.Context) error {
		return s.store.Revoke(ctx, s.id)
	})
	if errors.Is(err, ErrLeaseNotFound) {
		return nil
	}
	return err
}
