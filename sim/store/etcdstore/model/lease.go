package model

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"github.com/lockstep-sim/lockstep/impl/etcdlock"
)

const (
	// MinTTL is what a member raises shorter leases to: one and a half election
	// timeouts, which are 1 s by default, in whole seconds.
	MinTTL = 2 * time.Second

	// ExpiryEvery is how often a member looks for leases that have run out: a
	// lease ends by so much later than its time at most (runLoop in etcd's
	// server/lease/lessor.go).
	ExpiryEvery = 500 * time.Millisecond
)

// ErrEnding: the lease has run out but is not revoked yet. A member answers the
// request once it is.
var ErrEnding = errors.New("the lease is about to be revoked")

// lease is one lease. Times are those of the member's clock.
type lease struct {
	id  etcdlock.LeaseID
	ttl time.Duration
	end time.Duration
}

// Grant makes a lease at the time now, for ttl in whole seconds or [MinTTL]. An
// id that exists already stays as it is, and the answer is ttl.
func (s *Store) Grant(now time.Duration, id etcdlock.LeaseID, ttl time.Duration) time.Duration {
	ttl = (ttl + time.Second - 1).Truncate(time.Second)
	if _, exists := s.leases[id]; exists {
		return ttl
	}
	ttl = max(ttl, MinTTL)
	s.leases[id] = &lease{id: id, ttl: ttl, end: now + ttl}
	return ttl
}

// KeepAlive renews a lease for its full time, which it returns. It fails with
// etcdlock.ErrLeaseNotFound or [ErrEnding].
func (s *Store) KeepAlive(now time.Duration, id etcdlock.LeaseID) (time.Duration, error) {
	l, exists := s.leases[id]
	switch {
	case !exists:
		return 0, etcdlock.ErrLeaseNotFound
	case l.end <= now:
		return 0, ErrEnding
	}
	l.end = now + l.ttl
	return l.ttl, nil
}

// Revoke ends a lease and deletes its keys, all at one revision. It fails with
// etcdlock.ErrLeaseNotFound.
func (s *Store) Revoke(id etcdlock.LeaseID) error {
	if _, exists := s.leases[id]; !exists {
		return etcdlock.ErrLeaseNotFound
	}
	delete(s.leases, id)
	revision, changed := s.revision+1, false
	for _, e := range s.Keys() {
		if e.Lease == id {
			changed = s.remove(e.Key, revision)
		}
	}
	if changed {
		s.revision = revision
	}
	return nil
}

// Expire revokes the leases that have run out by now, in the order in which they
// did, and returns them. The member calls it every [ExpiryEvery].
func (s *Store) Expire(now time.Duration) []etcdlock.LeaseID {
	var out []etcdlock.LeaseID
	for _, l := range s.byEnd() {
		if l.end <= now {
			_ = s.Revoke(l.id) // it exists: it was just found
			out = append(out, l.id)
		}
	}
	return out
}

// NextEnd is when the next lease runs out, if nobody renews it.
func (s *Store) NextEnd() (end time.Duration, ok bool) {
	leases := s.byEnd()
	if len(leases) == 0 {
		return 0, false
	}
	return leases[0].end, true
}

// Lease is the end and the full time of a lease.
func (s *Store) Lease(id etcdlock.LeaseID) (end, ttl time.Duration, ok bool) {
	l, ok := s.leases[id]
	if !ok {
		return 0, 0, false
	}
	return l.end, l.ttl, true
}

// Restart is what happens when the member's process starts again: watches are
// gone, and all leases begin anew, because their ends were not stored (Promote in
// etcd's server/lease/lessor.go).
func (s *Store) Restart(now time.Duration) {
	s.watches, s.notices = nil, nil
	for _, l := range s.leases {
		l.end = now + l.ttl
	}
}

func (s *Store) byEnd() []*lease {
	var out []*lease
	for _, l := range s.leases {
		out = append(out, l)
	}
	slices.SortFunc(out, func(a, b *lease) int { return cmp.Or(cmp.Compare(a.end, b.end), cmp.Compare(a.id, b.id)) })
	return out
}
