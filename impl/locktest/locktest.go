// Package locktest is a conformance suite for implementations of lock.Locker, in
// the way of testing/fstest: a test of the implementation hands it over, and the
// suite finds out whether it keeps the contract.
//
//	func TestConformance(t *testing.T) {
//		locktest.Run(t, locktest.Suite{
//			Capabilities: locktest.Capabilities{TTL: time.Second, Fencing: true},
//			Start: func(t *testing.T) locktest.Backend {
//				server := startServer(t)
//				return locktest.Backend{Client: func(t *testing.T) (lock.Locker, func()) {
//					conn := server.connect(t)
//					return mylock.New(conn), conn.Close
//				}}
//			},
//		})
//	}
//
// A lock of another module is run through it in the same way; where its methods
// have another form, an adapter of some twenty lines makes a lock.Locker of it.
// The suite waits for what must happen and for leases of the given TTL to end,
// never for a fixed time in the hope that something has happened. Where the
// backend lives in the process, Suite.In can be synctest.Test: the suite then
// takes no real time, and its bounds are exact.
//
// What belongs here: what the contract says of every lock, and of every lock with
// a capability. What does not: faults of one backend, which its own tests make.
package locktest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/lockstep-sim/lockstep/impl/lock"
)

// Suite is an implementation under test.
type Suite struct {
	Capabilities Capabilities

	// Start makes a fresh backend, which ends with t.
	Start func(t *testing.T) Backend

	// In runs each test in an environment such as synctest.Test. Nil runs it
	// as it is.
	In func(t *testing.T, test func(t *testing.T))
}

// Backend is what clients connect to.
type Backend struct {
	// Client makes a Locker with a connection of its own, as another process
	// would have, which ends with t. Its leases last for Capabilities.TTL
	// and are renewed. The function that comes with it makes the client
	// crash: nothing that it sends from then on reaches the backend,
	// renewals included. If it is nil, nothing is shown about crashes.
	Client func(t *testing.T) (l lock.Locker, crash func())

	// Left names what the backend holds beside token counters and the like:
	// locks, queues, sessions of waiters. It is asked when nobody holds
	// anything or waits. Nil leaves that unchecked.
	Left func(t *testing.T) []string

	// Waiting is how many wait for a key. Without it the order of waiters is
	// not checked.
	Waiting func(t *testing.T, key string) int
}

// Capabilities are what an implementation promises beyond the contract.
type Capabilities struct {
	// TTL is how long a lease lasts without renewal. The suite waits for
	// several of them in real time, so it should be short, but long enough
	// for a renewal that is a third of it late.
	TTL time.Duration

	// Grace is how much longer than the TTL the backend may take to pass on
	// the lock of a holder, or the turn of a waiter, that has crashed. Zero
	// means as long as the TTL again.
	Grace time.Duration

	// Fencing: every lease has a token, larger than those before.
	Fencing bool

	// Fair: waiters are served in the order of their arrival.
	Fair bool

	// Reentrant: lock.WithOwner enters again.
	Reentrant bool

	// SessionBound: leases last as long as a session that they share, so that
	// options about the time of one lease are not supported.
	SessionBound bool

	// Unbounded: leases do not end by time, but with the connection, and
	// have no deadline.
	Unbounded bool
}

func (c Capabilities) grace() time.Duration {
	if c.Grace == 0 {
		return c.TTL
	}
	return c.Grace
}

// patience is how long the suite waits for what must happen soon.
const patience = 30 * time.Second

// Run runs every test that the capabilities call for, each on a backend of its
// own and under its own name.
func Run(t *testing.T, s Suite) {
	t.Helper()
	in := s.In
	if in == nil {
		in = func(t *testing.T, test func(t *testing.T)) { test(t) }
	}
	for _, c := range checks {
		if c.when != nil && !c.when(s.Capabilities) {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			in(t, func(t *testing.T) {
				if err := c.on(t, s); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// check is one rule of the contract.
type check struct {
	name string
	// when says for which capabilities it applies. Nil means always.
	when func(Capabilities) bool
	run  func(e *env) error
}

// on runs the check on a new backend and looks for what it left there.
func (c check) on(t *testing.T, s Suite) error {
	e := &env{t: t, caps: s.Capabilities, backend: s.Start(t)}
	defer e.abandon()
	if err := c.run(e); err != nil {
		return err
	}
	return e.nothingLeft()
}

// env is the backend of one check.
type env struct {
	t       *testing.T
	caps    Capabilities
	backend Backend
	leases  []lock.Lease
	waiting []*attempt
}

// abandon ends what a check that failed has left, so that nothing goes on behind
// the next one.
func (e *env) abandon() {
	ctx := context.WithoutCancel(e.t.Context())
	for _, lease := range e.leases {
		_ = lease.Release(ctx) // most have been released before
	}
	for _, a := range e.waiting {
		a.cancel()
		if <-a.done; a.lease != nil {
			_ = a.lease.Release(ctx)
		}
	}
}

// key is the lock of most checks.
const key = "locktest:order:1"

// mortal is a client that can crash.
func (e *env) mortal() (l lock.Locker, crash func()) {
	l, crash = e.backend.Client(e.t)
	if crash == nil {
		e.t.Skip("Backend.Client gives no way to crash")
	}
	return l, crash
}

func (e *env) client() lock.Locker {
	l, _ := e.backend.Client(e.t)
	return l
}

// ctx bounds what must end long before.
func (e *env) ctx() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(e.t.Context()), patience)
}

// acquire waits for the lock.
func (e *env) acquire(l lock.Locker, key string, opts ...lock.Option) (lock.Lease, error) {
	ctx, cancel := e.ctx()
	defer cancel()
	lease, err := l.Acquire(ctx, key, opts...)
	if err != nil {
		return nil, fmt.Errorf("Acquire(%q) = %w, want a lease", key, err)
	}
	e.leases = append(e.leases, lease)
	return lease, nil
}

// nothingLeft waits until the backend is clean: it may free things late, but not
// later than the leases that could be in the way.
func (e *env) nothingLeft() error {
	if e.backend.Left == nil {
		return nil
	}
	var left []string
	err := e.eventually("the backend is clean", e.caps.TTL+e.caps.grace(), func() bool {
		left = e.backend.Left(e.t)
		return len(left) == 0
	})
	if err != nil {
		return fmt.Errorf("left behind: %q", left)
	}
	return nil
}

// eventually looks again and again until a condition holds.
func (e *env) eventually(what string, limit time.Duration, condition func() bool) error {
	timeout := time.NewTimer(limit)
	defer timeout.Stop()
	look := time.NewTicker(max(limit/1000, time.Millisecond))
	defer look.Stop()
	for !condition() {
		select {
		case <-look.C:
		case <-timeout.C:
			return fmt.Errorf("not within %v: %s", limit, what)
		}
	}
	return nil
}

// released expects a release to succeed.
func (e *env) released(leases ...lock.Lease) error {
	for _, lease := range leases {
		ctx, cancel := e.ctx()
		err := lease.Release(ctx)
		cancel()
		if err != nil {
			return fmt.Errorf("Release of %q = %w, want nil", lease.Key(), err)
		}
	}
	return nil
}
