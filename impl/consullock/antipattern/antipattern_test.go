package antipattern_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/consul/api"
	"go.uber.org/goleak"

	"github.com/lockstep-sim/lockstep/impl/consullock"
	"github.com/lockstep-sim/lockstep/impl/consullock/antipattern"
	"github.com/lockstep-sim/lockstep/impl/embedded/consul"
	"github.com/lockstep-sim/lockstep/impl/lock"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var background = context.Background()

// locker is a lock that can be closed.
type locker interface {
	lock.Locker
	Close() error
}

// maker builds a lock; all of them take the same arguments.
type maker func(*api.Client, consullock.Config) (locker, error)

func as[L locker](construct func(*api.Client, consullock.Config) (L, error)) maker {
	return func(client *api.Client, cfg consullock.Config) (locker, error) { return construct(client, cfg) }
}

var (
	mutex        = as(consullock.New)
	stuckIndex   = as(antipattern.NewStuckIndex)
	sessionOwner = as(antipattern.NewSessionOwner)
)

var all = map[string]maker{"Mutex": mutex, "StuckIndex": stuckIndex, "SessionOwner": sessionOwner}

// world is one server in virtual time, and the processes that use it.
type world struct {
	*testing.T
	store *consul.Store
}

func inVirtualTime(t *testing.T, test func(w world)) {
	synctest.Test(t, func(t *testing.T) {
		w := world{t, consul.NewStore(consul.Options{})}
		t.Cleanup(w.store.Close)
		test(w)
	})
}

func (w world) process(m maker) locker {
	w.Helper()
	client, err := api.NewClient(&api.Config{HttpClient: &http.Client{Transport: consul.Transport(w.store)}})
	if err != nil {
		w.Fatal(err)
	}
	l, err := m(client, consullock.Config{})
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() {
		if err := l.Close(); err != nil {
			w.Errorf("close: %v", err)
		}
	})
	return l
}

func (w world) acquire(l lock.Locker) lock.Lease {
	w.Helper()
	lease, err := l.Acquire(background, "k")
	if err != nil {
		w.Fatalf("acquire: %v", err)
	}
	return lease
}

func (w world) release(lease lock.Lease) {
	w.Helper()
	if err := lease.Release(background); err != nil {
		w.Fatalf("release: %v", err)
	}
}

// holder returns the session that holds the lock, or "".
func (w world) holder() string {
	w.Helper()
	e, _, err := w.store.Get(background, "k", consul.Query{})
	if err != nil {
		w.Fatal(err)
	}
	if e == nil {
		return ""
	}
	return e.Session
}

func TestEachLooksRightBetweenProcesses(t *testing.T) {
	for name, m := range all {
		t.Run(name, func(t *testing.T) {
			inVirtualTime(t, func(w world) {
				a, b := w.process(m), w.process(m)
				lease := w.acquire(a)
				if _, err := b.TryAcquire(background, "k"); !errors.Is(err, lock.ErrNotAcquired) {
					t.Fatalf("second process: %v, want ErrNotAcquired", err)
				}
				start := time.Now()
				time.AfterFunc(time.Hour, func() { w.release(lease) })
				w.release(w.acquire(b))
				if d := time.Since(start); d != time.Hour {
					t.Errorf("the waiter got the lock after %v, want an hour", d)
				}
				w.release(w.acquire(a))
			})
		})
	}
}

func TestEachWaitsOutALockDelay(t *testing.T) {
	for name, m := range all {
		t.Run(name, func(t *testing.T) {
			inVirtualTime(t, func(w world) {
				a, b := w.process(m), w.process(m)
				lost := w.acquire(a)
				if err := w.store.DestroySession(w.holder()); err != nil {
					t.Fatal(err)
				}
				start := time.Now()
				w.release(w.acquire(b))
				if d := time.Since(start); d < 15*time.Second || d > 16*time.Second {
					t.Errorf("granted after %v, want the lock-delay of 15 s", d)
				}
				<-lost.Done()
				w.release(w.acquire(a)) // with a new session
			})
		})
	}
}

func TestStuckIndexWaitsPastTheReleaseOnceTheIndexHasGoneBackwards(t *testing.T) {
	for _, tc := range []struct {
		name  string
		maker maker
		stuck bool
	}{
		{"broken", stuckIndex, true},
		{"fixed", mutex, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			inVirtualTime(t, func(w world) {
				a, b := w.process(tc.maker), w.process(tc.maker)
				w.release(w.acquire(a)) // the session of a is part of the backup
				backup := w.store.Snapshot()
				for range 100 {
					w.release(w.acquire(a))
				}
				lease := w.acquire(a)
				ctx, cancel := context.WithTimeout(background, time.Hour)
				defer cancel()
				got := make(chan error)
				go func() {
					lease, err := b.Acquire(ctx, "k")
					if err == nil {
						w.release(lease)
					}
					got <- err
				}()
				synctest.Wait()
				w.store.Restore(backup)
				// In the backup the lock is free, and a still has its session.
				_ = lease.Release(background)
				if err := <-got; errors.Is(err, context.DeadlineExceeded) != tc.stuck {
					t.Errorf("the waiter for a free lock: %v, want it to be stuck: %v", err, tc.stuck)
				}
			})
		})
	}
}

func TestSessionOwnerGrantsTheLockToTwoGoroutines(t *testing.T) {
	for _, tc := range []struct {
		name  string
		maker maker
		twice bool
	}{
		{"broken", sessionOwner, true},
		{"fixed", mutex, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			inVirtualTime(t, func(w world) {
				a, b := w.process(tc.maker), w.process(tc.maker)
				first := w.acquire(a)
				second, err := a.TryAcquire(background, "k")
				if (err == nil) != tc.twice {
					t.Fatalf("second goroutine: %v, want the lock: %v", err, tc.twice)
				}
				w.release(first)
				if !tc.twice {
					return
				}
				// The second goroutine believes in a lock that anybody can have.
				w.release(w.acquire(b))
				if second.Err() != nil {
					t.Errorf("the second goroutine knows: %v", second.Err())
				}
				if err := second.Release(background); !errors.Is(err, lock.ErrNotHeld) {
					t.Errorf("release: %v, want ErrNotHeld", err)
				}
			})
		})
	}
}
