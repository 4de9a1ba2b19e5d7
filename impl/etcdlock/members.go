package etcdlock

import (
	"context"
	"slices"

	"github.com/lockstep-sim/lockstep/impl/lock"
)

// attach adds a claim, unless the session takes none any more. A session that
// was opened for this claim is retired from then on.
func (s *session) attach(c *claim, exclusive bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.open() {
		return false
	}
	s.retired = exclusive
	s.claims = append(s.claims, c)
	return true
}

// entered notes the revision at which the claim's key was created.
func (s *session) entered(c *claim, revision int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c.revision = revision
}

// hold replaces what the end of the session does to the claim, or reports false
// when the session has ended.
func (s *session) hold(c *claim, end func(error)) bool {
	alive := s.alive()
	s.mu.Lock()
	defer s.mu.Unlock()
	if !alive || s.ended {
		return false
	}
	c.end = end
	return true
}

// detach removes a claim. The last one takes a retired session with it.
func (s *session) detach(ctx context.Context, c *claim) {
	s.mu.Lock()
	s.remove(c)
	last := s.idle()
	s.mu.Unlock()
	if last {
		// A lease that cannot be revoked now runs out: nothing renews it.
		_ = s.close(ctx, lock.ErrReleased)
	}
}

// idle reports whether a retired session has lost its last claim. The caller
// holds s.mu.
func (s *session) idle() bool {
	return s.retired && !s.ended && len(s.claims) == 0
}

// remove takes c out of the list, if it is in it. The caller holds s.mu.
func (s *session) remove(c *claim) {
	if i := slices.Index(s.claims, c); i >= 0 {
		s.claims = slices.Delete(s.claims, i, i+1)
	}
}

// orphan remembers a key that could not be deleted. It would block the lock for
// as long as the session lives, so it is tried again at every renewal.
func (s *session) orphan(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.retired = true
	s.orphans = append(s.orphans, key)
}
