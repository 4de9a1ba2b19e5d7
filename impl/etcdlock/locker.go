package etcdlock

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/lockstep-sim/lockstep/impl/clock"
	"github.com/lockstep-sim/lockstep/impl/lock"
)

// Locker grants locks through one etcd client. It is a [lock.Locker]; its
// grants are fair, carry a fencing token and end with the Locker's session.
// They are not reentrant.
type Locker struct {
	caller
	cfg Config

	mu       sync.Mutex
	shared   *session   // nil until it is first needed
	sessions []*session // all that Close has to end
	opening  clock.Event
	closed   bool
}

var _ lock.Locker = (*Locker)(nil)

// New makes a Locker on an etcd client, which stays the caller's to close, after
// the Locker. It sends no request. The error is [lock.ErrInvalid].
func New(client *clientv3.Client, cfg Config) (*Locker, error) {
	if client == nil {
		return nil, fmt.Errorf("etcdlock: %w: the client is nil", lock.ErrInvalid)
	}
	return NewOnStore(NewStore(client), cfg)
}

// NewOnStore makes a Locker on anything that behaves as etcd does.
func NewOnStore(store Store, cfg Config) (*Locker, error) {
	cfg, err := cfg.WithDefaults()
	if err != nil {
		return nil, fmt.Errorf("etcdlock: %w", err)
	}
	return &Locker{
		caller: caller{store: store, clk: cfg.Clock, timeout: cfg.RequestTimeout},
		cfg:    cfg,
	}, nil
}

// Acquire implements [lock.Locker]. The grants of one lock follow the order in
// which the requests for them reached etcd. Without options it costs one request
// when nobody else wants the lock.
//
// With [lock.WithTTL] or [lock.WithFixedLease] the grant gets an etcd lease to
// itself, which costs two requests more. A fixed lease counts from the grant,
// not from the beginning of the wait; if it is not released, etcd passes the
// lock on when its own lease of whole seconds has run out.
//
// A waiter whose session ends gets [lock.ErrSessionExpired].
func (l *Locker) Acquire(ctx context.Context, key string, opts ...lock.Option) (lock.Lease, error) {
	return l.acquire(ctx, key, lock.NewRequest(opts...), (*claim).queue)
}

// TryAcquire implements [lock.Locker]. It fails when somebody holds the lock or
// waits for it.
func (l *Locker) TryAcquire(ctx context.Context, key string, opts ...lock.Option) (lock.Lease, error) {
	return l.acquire(ctx, key, lock.NewRequest(opts...), (*claim).try)
}

// Close ends all leases and waits of this Locker with [lock.ErrClosed] and gives
// its sessions back to etcd. An error means that a session ends later, by its
// TTL. Closing again does nothing.
func (l *Locker) Close() error {
	l.mu.Lock()
	l.closed = true
	sessions := l.sessions
	l.sessions, l.shared = nil, nil
	l.mu.Unlock()
	var first error
	for _, s := range sessions {
		err := s.close(context.Background(), errClosed)
		if err != nil && first == nil {
			first = fmt.Errorf("etcdlock: close: revoke the session: %w", err)
		}
	}
	return first
}

// errClosed is what a lease ends with when its Locker is closed.
var errClosed = fmt.Errorf("%w: %w", lock.ErrSessionExpired, lock.ErrClosed)

// acquire makes a claim and takes the given way to the head of the queue.
func (l *Locker) acquire(ctx context.Context, key string, req lock.Request, way func(*claim, context.Context) error) (lock.Lease, error) {
	err := checkRequest(key, req)
	if err != nil {
		return nil, fmt.Errorf("etcdlock: acquire: %w", err)
	}
	lease, err := l.attempt(ctx, key, req, way)
	if errors.Is(err, errStale) {
		lease, err = l.attempt(ctx, key, req, way)
	}
	if err != nil {
		return nil, fmt.Errorf("etcdlock: acquire %q: %w: %w", key, lock.ErrNotAcquired, err)
	}
	return lease, nil
}

// join attaches a claim to the shared session or, if the request asks for a TTL
// of its own, to a new one.
func (l *Locker) join(ctx context.Context, c *claim, req lock.Request) (*session, error) {
	for {
		var s *session
		var err error
		if req.TTL == 0 {
			s, err = l.sharedSession(ctx)
		} else {
			s, err = l.open(ctx, req.TTL)
		}
		if err != nil || s.attach(c, req.TTL != 0) {
			return s, err
		}
	}
}

// sharedSession returns the session that grants without a TTL of their own live
// on. One caller opens it, the others wait.
func (l *Locker) sharedSession(ctx context.Context) (*session, error) {
	for {
		s, opening, mine := l.lookUp()
		switch {
		case s != nil:
			return s, nil
		case mine:
			return l.openShared(ctx, opening)
		}
		if err := opening.Wait(ctx, clock.NoLimit); err != nil {
			return nil, err
		}
	}
}

// lookUp returns the usable shared session or the event of its being opened,
// which is the caller's to bring about if mine is true.
func (l *Locker) lookUp() (s *session, opening clock.Event, mine bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.opening != nil {
		return nil, l.opening, false
	}
	if l.shared != nil && l.shared.usable() {
		return l.shared, nil, false
	}
	l.opening = l.clk.NewEvent()
	return nil, l.opening, true
}

func (l *Locker) openShared(ctx context.Context, opening clock.Event) (*session, error) {
	s, err := l.open(ctx, l.cfg.TTL)
	l.mu.Lock()
	l.opening = nil
	if err == nil && !l.closed {
		l.shared = s
	}
	l.mu.Unlock()
	opening.Set()
	return s, err
}

// open asks etcd for a lease.
func (l *Locker) open(ctx context.Context, ttl time.Duration) (*session, error) {
	if l.isClosed() {
		return nil, lock.ErrClosed
	}
	id := l.cfg.NewLeaseID()
	born := l.clk.Now()
	var granted time.Duration
	err := l.insist(ctx, func(ctx context.Context) (err error) {
		granted, err = l.store.Grant(ctx, id, ttl)
		return err
	})
	if err != nil {
		if !answered(err) { // it may have been granted all the same
			_ = l.once(context.WithoutCancel(ctx), func(ctx context.Context) error {
				return l.store.Revoke(ctx, id)
			})
		}
		return nil, fmt.Errorf("open a session: %w", err)
	}
	s := startSession(l.caller, id, born, granted)
	if !l.adopt(s) {
		_ = s.close(ctx, errClosed) // or else it runs out: nothing renews it
		return nil, lock.ErrClosed
	}
	return s, nil
}

func (l *Locker) isClosed() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.closed
}

// adopt adds a session to those that Close ends, and drops those that have ended
// by themselves, once their watchdogs are done.
func (l *Locker) adopt(s *session) bool {
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return false
	}
	var live, ended []*session
	for _, old := range l.sessions {
		if old.life.Err() == nil {
			live = append(live, old)
		} else {
			ended = append(ended, old)
		}
	}
	l.sessions = append(live, s)
	l.mu.Unlock()
	for _, old := range ended {
		old.dog.Stop()
	}
	return true
}
