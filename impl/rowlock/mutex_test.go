package rowlock_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/rowlock"
	"github.com/lockstep-sim/lockstep/impl/sqllock/dialect"
)

var mutexTests = suite{
	"the row is held until its release":             mutexHolds,
	"different rows do not block each other":        mutexKeys,
	"a waiter gets in at the release":               mutexWaiter,
	"a waiter that gives up is forgotten":           mutexWaiterGivesUp,
	"a lost connection ends the lease":              mutexConnectionLost,
	"a release after a lost connection is not held": mutexReleaseAfterLoss,
	"no update is lost under contention":            mutexContention,
	"a lease time is refused":                       mutexNoTTL,
}

func (w *world) mutex(t testing.TB, cfg rowlock.MutexConfig) *rowlock.Mutex {
	t.Helper()
	cfg.Dialect, cfg.Table = w.Dialect, w.table("rows")
	m, err := rowlock.NewMutex(w.DB, cfg)
	if w.coarse() {
		wantErr(t, "NewMutex", err, errors.ErrUnsupported)
		wantErr(t, "NewMutex", err, lock.ErrInvalid)
		t.SkipNow()
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := m.CreateSchema(t.Context()); err != nil {
		t.Fatal(err)
	}
	return m
}

func mutexHolds(t *testing.T, w *world) {
	m := w.mutex(t, rowlock.MutexConfig{})
	lease := acquire(t, m)
	_, err := m.TryAcquire(t.Context(), key)
	wantErr(t, "TryAcquire", err, lock.ErrNotAcquired)
	wantErr(t, "TryAcquire", err, rowlock.ErrBusy)
	if _, ok := lease.Token(); ok || !lease.Deadline().IsZero() {
		t.Errorf("token %v, deadline %v; want none of either", ok, lease.Deadline())
	}
	release(t, lease)
	wantErr(t, "the second release", lease.Release(t.Context()), lock.ErrNotHeld)
	release(t, acquire(t, m))
}

func mutexKeys(t *testing.T, w *world) {
	m := w.mutex(t, rowlock.MutexConfig{})
	for _, k := range []string{"a", "A", "b"} {
		lease, err := m.TryAcquire(t.Context(), k)
		if err != nil {
			t.Fatal(err)
		}
		defer release(t, lease)
	}
}

// waiting calls then once another goroutine waits for the lock, and returns what
// became of it.
func (w *world) waiting(t *testing.T, ctx context.Context, m *rowlock.Mutex, then func()) error {
	t.Helper()
	sent := make(chan struct{})
	w.Tap.On("FOR UPDATE", signal(sent))
	result := make(chan error, 1)
	go func() {
		lease, err := m.Acquire(ctx, key)
		if err == nil {
			err = lease.Release(context.Background())
		}
		result <- err
	}()
	<-sent
	then()
	return <-result
}

func mutexWaiter(t *testing.T, w *world) {
	m := w.mutex(t, rowlock.MutexConfig{Slice: 10 * time.Millisecond}) // waits in several pieces
	lease := acquire(t, m)
	if err := w.waiting(t, t.Context(), m, func() { release(t, lease) }); err != nil {
		t.Error(err)
	}
}

func mutexWaiterGivesUp(t *testing.T, w *world) {
	m := w.mutex(t, rowlock.MutexConfig{})
	lease := acquire(t, m)
	ctx, cancel := context.WithCancel(t.Context())
	err := w.waiting(t, ctx, m, cancel)
	wantErr(t, "Acquire", err, lock.ErrNotAcquired)
	wantErr(t, "Acquire", err, context.Canceled)
	release(t, lease)
	next, err := m.Acquire(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	release(t, next)
}

// killConnections makes the server end every connection but the one that asks
// for it, the holder's among them.
func (w *world) killConnections(t *testing.T) {
	t.Helper()
	if w.Kind() == dialect.KindPostgres {
		w.Exec(t, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "+
			"WHERE pid <> pg_backend_pid() AND usename = current_user")
		return
	}
	conn, err := w.DB.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	var ids string
	err = conn.QueryRowContext(t.Context(), "SELECT GROUP_CONCAT(id) FROM information_schema.processlist "+
		"WHERE id <> CONNECTION_ID() AND user = 'lockstep'").Scan(&ids)
	if err != nil {
		t.Fatal(err)
	}
	for id := range strings.SplitSeq(ids, ",") {
		_, _ = conn.ExecContext(t.Context(), "KILL "+id) // it may have gone by itself
	}
}

func mutexConnectionLost(t *testing.T, w *world) {
	m := w.mutex(t, rowlock.MutexConfig{CheckEvery: 10 * time.Millisecond})
	lease := acquire(t, m)
	w.killConnections(t)
	<-lease.Done()
	wantErr(t, "Err", lease.Err(), lock.ErrSessionExpired)
	next, err := m.Acquire(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	release(t, next)
	wantErr(t, "the release", lease.Release(t.Context()), lock.ErrNotHeld)
}

func mutexReleaseAfterLoss(t *testing.T, w *world) {
	m := w.mutex(t, rowlock.MutexConfig{CheckEvery: time.Hour})
	lease := acquire(t, m)
	w.killConnections(t)
	wantErr(t, "the release", lease.Release(t.Context()), lock.ErrNotHeld)
}

func mutexContention(t *testing.T, w *world) {
	m := w.mutex(t, rowlock.MutexConfig{})
	var inside sync.Mutex
	counter := 0
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 10 {
				err := lock.Do(t.Context(), m, key, func(context.Context) error {
					if !inside.TryLock() {
						t.Error("two holders at a time")
						return nil
					}
					defer inside.Unlock()
					counter++
					return nil
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if counter != 40 {
		t.Errorf("counter = %d, want 40", counter)
	}
}

func mutexNoTTL(t *testing.T, w *world) {
	m := w.mutex(t, rowlock.MutexConfig{})
	for _, opt := range []lock.Option{
		lock.WithTTL(time.Second), lock.WithFixedLease(time.Second), lock.WithOwner("me"),
	} {
		_, err := m.Acquire(t.Context(), key, opt)
		wantErr(t, "Acquire", err, lock.ErrInvalid)
		wantNot(t, "Acquire", err, lock.ErrNotAcquired)
	}
	_, err := m.Acquire(t.Context(), "")
	wantErr(t, "Acquire without a key", err, lock.ErrInvalid)
}
