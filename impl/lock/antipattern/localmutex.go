// Package antipattern holds locks that are WRONG: one for more than one process,
// and one for more than one key.
//
// What belongs here: mistakes that need no backend. They exist for lessons,
// scenarios and tests; nothing else may import them.
package antipattern

import (
	"context"
	"fmt"
	"sync"

	"github.com/lockstep-sim/lockstep/impl/clock"
	"github.com/lockstep-sim/lockstep/impl/lock"
)

// LocalMutex is WRONG as soon as there are two instances of a service: it lives
// in the memory of one process, so each instance has its own and all of them
// hold "the" lock at once. Within one process it is a correct mutex. Instead: a
// lock that all instances ask.
//
// It implements lock.Locker. Its leases end only by release; options that speak
// of time do nothing, and lock.WithOwner is lock.ErrInvalid.
type LocalMutex struct {
	clk clock.Clock

	mu     sync.Mutex
	grants uint64
	locks  map[string]*queue
}

// queue is a lock that is held, and those who wait for it.
type queue struct{ waiting []clock.Event }

// NewLocalMutex makes one. A nil clock means the real one.
func NewLocalMutex(clk clock.Clock) *LocalMutex {
	return &LocalMutex{clk: clock.Or(clk), locks: make(map[string]*queue)}
}

// Acquire implements lock.Locker.
func (m *LocalMutex) Acquire(ctx context.Context, key string, opts ...lock.Option) (lock.Lease, error) {
	if err := check(ctx, key, opts); err != nil {
		return nil, err
	}
	turn := m.take(key)
	if err := turn.Wait(ctx, clock.NoLimit); err != nil {
		m.leave(key, turn)
		return nil, notAcquired(key, err)
	}
	return m.grant(key), nil
}

// TryAcquire implements lock.Locker.
func (m *LocalMutex) TryAcquire(ctx context.Context, key string, opts ...lock.Option) (lock.Lease, error) {
	if err := check(ctx, key, opts); err != nil {
		return nil, err
	}
	if !m.takeIfFree(key) {
		return nil, fmt.Errorf("local mutex: acquire %q: %w: somebody else holds it", key, lock.ErrNotAcquired)
	}
	return m.grant(key), nil
}

func check(ctx context.Context, key string, opts []lock.Option) error {
	switch {
	case key == "":
		return fmt.Errorf("local mutex: %w: the key is empty", lock.ErrInvalid)
	case lock.NewRequest(opts...).Owner != "":
		return fmt.Errorf("local mutex: acquire %q: %w: not reentrant, so it takes no owner", key, lock.ErrInvalid)
	case ctx.Err() != nil:
		return notAcquired(key, ctx.Err())
	}
	return nil
}

func notAcquired(key string, cause error) error {
	return fmt.Errorf("local mutex: acquire %q: %w: %w", key, lock.ErrNotAcquired, cause)
}

// takeIfFree takes the lock now or not at all.
func (m *LocalMutex) takeIfFree(key string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.locks[key] != nil {
		return false
	}
	m.locks[key] = &queue{}
	return true
}

// take returns an event that happens when the lock is the caller's, at once if
// it is free.
func (m *LocalMutex) take(key string) clock.Event {
	turn := m.clk.NewEvent()
	m.mu.Lock()
	defer m.mu.Unlock()
	q := m.locks[key]
	if q == nil {
		m.locks[key] = &queue{}
		turn.Set()
		return turn
	}
	q.waiting = append(q.waiting, turn)
	return turn
}

// leave takes a waiter out of the queue. One that got its turn meanwhile passes
// it on.
func (m *LocalMutex) leave(key string, turn clock.Event) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if turn.IsSet() {
		m.passOn(key)
		return
	}
	q := m.locks[key]
	for i, w := range q.waiting {
		if w == turn {
			q.waiting = append(q.waiting[:i], q.waiting[i+1:]...)
			return
		}
	}
}

// passOn gives the lock to the first waiter or frees it. The caller holds m.mu.
func (m *LocalMutex) passOn(key string) {
	q := m.locks[key]
	if len(q.waiting) == 0 {
		delete(m.locks, key)
		return
	}
	next := q.waiting[0]
	q.waiting = q.waiting[1:]
	next.Set()
}

func (m *LocalMutex) grant(key string) *localLease {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.grants++
	return &localLease{mutex: m, Grant: lock.NewGrant(m.clk, lock.GrantInfo{
		Key: key, Owner: fmt.Sprintf("local-%d", m.grants),
	})}
}

type localLease struct {
	*lock.Grant
	mutex *LocalMutex
}

// Release implements lock.Lease.
func (l *localLease) Release(context.Context) error {
	if !l.End(lock.ErrReleased) {
		return fmt.Errorf("local mutex: release %q: %w", l.Key(), lock.ErrNotHeld)
	}
	l.mutex.mu.Lock()
	defer l.mutex.mu.Unlock()
	l.mutex.passOn(l.Key())
	return nil
}
