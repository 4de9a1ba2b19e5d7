package locktest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lockstep-sim/lockstep/impl/clock"
	"github.com/lockstep-sim/lockstep/impl/lock"
)

// flaw is a rule that a fake lock breaks.
type flaw string

const (
	none              flaw = ""
	grantsToAll       flaw = "grants a held lock"
	neverExpires      flaw = "keeps the lock of a dead holder"
	expiresEarly      flaw = "takes a lock away before its time"
	freesAnybody      flaw = "releases the lock of another"
	hidesLateRelease  flaw = "calls a late release a success"
	releasesTwice     flaw = "calls a second release a success"
	keepsWaiters      flaw = "leaves those who gave up in the queue"
	keepsDeadWaiters  flaw = "waits for waiters that have died"
	ignoresCancel     flaw = "goes on waiting when the context ends"
	hidesCancel       flaw = "does not join the error of the context"
	endsWithContext   flaw = "ends the lease with the context of Acquire"
	ignoresEndedCtx   flaw = "acquires with a context that has ended"
	equalTokens       flaw = "gives the same token again"
	withoutToken      flaw = "gives no token"
	equalOwners       flaw = "gives the same owner again"
	overtakes         flaw = "lets the last waiter in first"
	doesNotRenew      flaw = "does not renew"
	doneStaysOpen     flaw = "does not close Done in time"
	deadlineTooLate   flaw = "has a deadline after that of the backend"
	oneLockForAllKeys flaw = "confuses the keys"
	wrongKey          flaw = "has another key in its leases"
	takesAnyKey       flaw = "takes an empty key"
	takesAnyOwner     flaw = "takes an owner that it ignores"
	refusesOwner      flaw = "does not let its owner in again"
	freesTooSoon      flaw = "frees the lock with the first of two releases"
	leaksGoroutine    flaw = "leaves a goroutine for each lease"
	leavesKey         flaw = "leaves a key after the release"
	doesNotWake       flaw = "does not let waiters in"
)

const fakeTTL = time.Second

// server is a fair, reentrant lock with tokens in memory.
type server struct {
	flaw flaw
	// closed ends the goroutines of the flaw that leaves them.
	closed chan struct{}

	mu     sync.Mutex
	locks  map[string]*held
	queues map[string][]*place
	tokens lock.Token
	ids    int
}

type held struct {
	owner string
	holds int
	until time.Time
}

type place struct {
	id   string
	seen time.Time
}

func newServer(f flaw) *server {
	return &server{flaw: f, closed: make(chan struct{}), locks: map[string]*held{}, queues: map[string][]*place{}}
}

func (s *server) left() (names []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for k := range s.locks {
		if s.holder(k) != nil {
			names = append(names, k)
		}
	}
	for k, q := range s.queues {
		if len(q) > 0 {
			names = append(names, "queue of "+k)
		}
	}
	return names
}

func (s *server) waiting(key string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.queues[key])
}

// holder is who holds the lock at this time. The caller holds s.mu.
func (s *server) holder(key string) *held {
	h := s.locks[key]
	if h == nil || s.flaw != neverExpires && !time.Now().Before(h.until) {
		return nil
	}
	return h
}

// grant asks for the lock. A waiter has an id and stands in the queue.
func (s *server) grant(key, owner, id string) (lock.Token, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if h := s.holder(key); h != nil && s.flaw != grantsToAll && (h.owner != owner || s.flaw == refusesOwner) {
		s.enqueue(key, id)
		return 0, false
	} else if h != nil && h.owner == owner {
		h.holds++
		return s.tokens, true
	}
	if id != "" && s.flaw == doesNotWake {
		return 0, false
	}
	if !s.isNext(key, id) {
		s.enqueue(key, id)
		return 0, false
	}
	s.queues[key] = slices.DeleteFunc(s.queues[key], func(p *place) bool { return p.id == id })
	if s.flaw != equalTokens {
		s.tokens++
	}
	ttl := fakeTTL
	if s.flaw == expiresEarly {
		ttl /= 2
	}
	s.locks[key] = &held{owner: owner, holds: 1, until: time.Now().Add(ttl)}
	return s.tokens, true
}

func (s *server) enqueue(key, id string) {
	if id == "" {
		return
	}
	for _, p := range s.queues[key] {
		if p.id == id {
			p.seen = time.Now()
			return
		}
	}
	s.queues[key] = append(s.queues[key], &place{id, time.Now()})
}

func (s *server) isNext(key, id string) bool {
	q := s.queues[key]
	if s.flaw != keepsDeadWaiters && s.flaw != keepsWaiters {
		q = slices.DeleteFunc(q, func(p *place) bool { return time.Since(p.seen) > fakeTTL/2 })
		s.queues[key] = q
	}
	if len(q) == 0 {
		return true
	}
	if s.flaw == overtakes {
		return q[len(q)-1].id == id
	}
	return q[0].id == id
}

func (s *server) leave(key, id string) {
	if s.flaw == keepsWaiters {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queues[key] = slices.DeleteFunc(s.queues[key], func(p *place) bool { return p.id == id })
}

func (s *server) renew(key, owner string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.holder(key)
	if h == nil || h.owner != owner {
		return false
	}
	h.until = time.Now().Add(fakeTTL)
	return true
}

func (s *server) release(key, owner string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.holder(key)
	if h == nil || h.owner != owner && s.flaw != freesAnybody {
		return false
	}
	if h.holds--; h.holds == 0 || s.flaw == freesTooSoon {
		delete(s.locks, key)
	}
	if s.flaw == leavesKey {
		s.locks[key+":left"] = &held{until: time.Now().Add(time.Hour)}
	}
	return true
}

// client is a Locker on the server.
type client struct {
	*server
	crashed atomic.Bool
	caps    Capabilities
}

var errCrashed = errors.New("the client has crashed")

// Acquire implements lock.Locker.
func (c *client) Acquire(ctx context.Context, key string, opts ...lock.Option) (lock.Lease, error) {
	id := c.newID("waiter")
	for {
		lease, err := c.try(ctx, key, id, opts)
		if err != nil && !c.crashed.Load() {
			c.leave(key, id)
		}
		if lease != nil || err != nil {
			return lease, err
		}
		again := time.NewTimer(time.Millisecond)
		waiting := ctx
		if c.flaw == ignoresCancel {
			waiting = context.WithoutCancel(ctx)
		}
		select {
		case <-again.C:
		case <-waiting.Done():
			c.leave(key, id)
			return nil, c.gaveUp(ctx)
		}
	}
}

// TryAcquire implements lock.Locker.
func (c *client) TryAcquire(ctx context.Context, key string, opts ...lock.Option) (lock.Lease, error) {
	lease, err := c.try(ctx, key, "", opts)
	if lease == nil && err == nil {
		err = lock.ErrNotAcquired
	}
	return lease, err
}

func (c *client) gaveUp(ctx context.Context) error {
	if c.flaw == hidesCancel {
		return lock.ErrNotAcquired
	}
	return fmt.Errorf("%w: %w", lock.ErrNotAcquired, ctx.Err())
}

func (c *client) newID(kind string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ids++
	return fmt.Sprint(kind, c.ids)
}

func (c *client) try(ctx context.Context, key, id string, opts []lock.Option) (lock.Lease, error) {
	r := lock.NewRequest(opts...)
	switch {
	case c.crashed.Load():
		return nil, fmt.Errorf("%w: %w", lock.ErrNotAcquired, errCrashed)
	case key == "" && c.flaw != takesAnyKey, r.Owner != "" && !c.caps.Reentrant && c.flaw != takesAnyOwner:
		return nil, lock.ErrInvalid
	case ctx.Err() != nil && c.flaw != ignoresEndedCtx && (id == "" || c.flaw != ignoresCancel):
		return nil, c.gaveUp(ctx)
	}
	owner := r.Owner
	if owner == "" {
		owner = c.newID("owner")
	}
	if c.flaw == equalOwners {
		owner = "me"
	}
	asked := key
	if c.flaw == oneLockForAllKeys {
		asked = "all"
	}
	token, granted := c.grant(asked, owner, id)
	if !granted {
		return nil, nil
	}
	return c.lease(ctx, key, asked, owner, token, r), nil
}

func (c *client) lease(ctx context.Context, key, asked, owner string, token lock.Token, r lock.Request) *lease {
	info := lock.GrantInfo{Key: key, Owner: owner, Token: token, HasToken: c.caps.Fencing && c.flaw != withoutToken,
		Deadline: time.Now().Add(fakeTTL)}
	switch c.flaw {
	case doneStaysOpen:
		info.Deadline = time.Now().Add(time.Hour)
	case deadlineTooLate:
		info.Deadline = time.Now().Add(fakeTTL + fakeTTL/2)
	case wrongKey:
		info.Key = "another"
	}
	l := &lease{Grant: lock.NewGrant(clock.Real(), info), client: c, asked: asked}
	if !r.Fixed && c.flaw != doesNotRenew {
		l.dog = lock.StartWatchdog(clock.Real(), l.Grant, lock.Renewal{
			Every: fakeTTL / 3, Timeout: fakeTTL / 3, Renew: l.prolong,
		})
	}
	if c.flaw == endsWithContext {
		context.AfterFunc(ctx, func() { l.End(lock.ErrLost) })
	}
	if c.flaw == leaksGoroutine {
		go func() { <-c.closed }()
	}
	return l
}

type lease struct {
	*lock.Grant
	releasing sync.Mutex
	client    *client
	asked     string
	dog       *lock.Watchdog
}

func (l *lease) prolong(context.Context) (time.Time, error) {
	deadline := time.Now().Add(fakeTTL)
	if l.client.crashed.Load() {
		return deadline, errCrashed
	}
	if !l.client.renew(l.asked, l.Owner()) {
		return deadline, lock.ErrNotHeld
	}
	return deadline, nil
}

// Release implements lock.Lease.
func (l *lease) Release(context.Context) error {
	l.dog.Stop()
	l.releasing.Lock() // of two releases at once, one is the first in every respect
	defer l.releasing.Unlock()
	first := l.End(lock.ErrReleased)
	if l.client.crashed.Load() {
		return errors.Join(lock.ErrNotHeld, errCrashed)
	}
	released := l.client.release(l.asked, l.Owner())
	switch {
	case first && released:
		return nil
	case l.client.flaw == hidesLateRelease && errors.Is(l.Err(), lock.ErrLost),
		l.client.flaw == releasesTwice && errors.Is(l.Err(), lock.ErrReleased):
		return nil
	}
	return lock.ErrNotHeld
}
