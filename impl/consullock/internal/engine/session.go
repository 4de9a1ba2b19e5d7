package engine

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/lockstep-sim/lockstep/impl/lock"
)

// errSession is why a lease ends with its session.
var errSession = fmt.Errorf("%w: %w", lock.ErrLost, lock.ErrSessionExpired)

// session is a session in Consul. Locally its life is a lock.Grant: renewed by
// a watchdog, and over when the deadline passes.
type session struct {
	id    string
	ttl   time.Duration
	grant *lock.Grant
	dog   *lock.Watchdog // nil where nothing renews the session
	gone  atomic.Bool    // the server said that it does not exist

	// Guarded by Engine.mu.
	retired bool // takes no more grants, and ends with its last user
	users   int  // attempts under way and leases
}

// alive reports whether the session can carry grants at the given time. After
// a pause the time may be over before the grant has been told.
func (s *session) alive(now time.Time) bool {
	return s.grant.Err() == nil && now.Before(s.grant.Deadline())
}

// open creates a session and starts its life. It goes on when ctx ends, because
// a session whose creation nobody waits for would be left behind.
func (en *Engine) open(ctx context.Context, ttl time.Duration, fixed bool) (*session, error) {
	ctx, cancel := en.detached(ctx, ttl)
	defer cancel()
	spec := SessionSpec{Name: en.cfg.Name, TTL: ttl, LockDelay: max(0, en.cfg.LockDelay), Behavior: en.cfg.Behavior}
	sent := en.clk.Now()
	id, err := en.backend.CreateSession(ctx, spec)
	if err != nil {
		return nil, fmt.Errorf("create a session: %w", err)
	}
	s := &session{id: id, ttl: ttl, users: 1}
	s.grant = lock.NewGrant(en.clk, lock.GrantInfo{Key: id, Deadline: sent.Add(ttl)})
	if !fixed {
		s.dog = lock.StartWatchdog(en.clk, s.grant, lock.Renewal{
			From: sent, Every: ttl / 3, Retry: min(time.Second, ttl/10),
			Timeout: en.cfg.requestTimeout(ttl),
			Renew:   func(ctx context.Context) (time.Time, error) { return en.renew(ctx, s) },
		})
	}
	s.grant.OnEnd(func() { en.ended(s) })
	return s, nil
}

// renew asks the server for another TTL and returns the new local deadline.
func (en *Engine) renew(ctx context.Context, s *session) (time.Time, error) {
	sent := en.clk.Now()
	found, err := en.backend.RenewSession(ctx, s.id)
	if err != nil {
		return time.Time{}, err
	}
	if !found {
		s.gone.Store(true)
		return time.Time{}, lock.ErrSessionExpired
	}
	return sent.Add(s.ttl), nil
}

// lost ends a session that the server said does not exist.
func (en *Engine) lost(s *session) {
	s.gone.Store(true)
	s.grant.End(errSession)
}

// ended ends the leases of a session that ended. On the server the session may
// live on, up to twice its TTL, when it was only out of reach.
func (en *Engine) ended(s *session) {
	en.mu.Lock()
	var leases []*lease
	en.leases = slices.DeleteFunc(en.leases, func(x *lease) bool {
		if x.session == s {
			leases = append(leases, x)
		}
		return x.session == s
	})
	if en.shared == s {
		en.shared = nil
	}
	en.dead = append(en.dead, s)
	en.mu.Unlock()
	for _, x := range leases {
		x.End(errSession)
	}
}

// bury joins the watchdogs of the sessions that ended, and destroys those that
// may live on on the server, so that their keys become free before their time.
// One attempt is enough: what does not reach the server ends by itself.
func (en *Engine) bury(ctx context.Context) {
	en.mu.Lock()
	dead := en.dead
	en.dead = nil
	en.mu.Unlock()
	for _, s := range dead {
		s.dog.Stop()
		if !s.gone.Load() {
			_ = en.destroy(ctx, s)
		}
	}
}

func (en *Engine) destroy(ctx context.Context, s *session) error {
	ctx, cancel := en.detached(ctx, s.ttl)
	defer cancel()
	return en.backend.DestroySession(ctx, s.id)
}

// retire keeps a session from getting more grants. That is the answer to a
// request of it that may still be under way: what it takes when it arrives late
// ends with the session.
func (en *Engine) retire(s *session) {
	en.mu.Lock()
	defer en.mu.Unlock()
	s.retired = true
	if en.shared == s {
		en.shared = nil
	}
}

// leave gives up one use of s. The last user of a retired session ends it.
func (en *Engine) leave(ctx context.Context, s *session) {
	en.mu.Lock()
	s.users--
	last := s.users == 0 && s.retired
	en.mu.Unlock()
	if !last {
		return
	}
	s.grant.End(lock.ErrReleased)
	en.bury(ctx)
}

// isLast reports whether s ends with its next leave.
func (en *Engine) isLast(s *session) bool {
	en.mu.Lock()
	defer en.mu.Unlock()
	return s.retired && s.users == 1
}
