package sqllock_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/sqllock"
)

var mutexTests = suite{
	"one statement to lock and one to unlock":        oneStatementEach,
	"one holder at a time":                           oneHolderAtATime,
	"tokens grow from grant to grant":                tokensGrow,
	"an expired row is taken over":                   expiredRowIsTakenOver,
	"an old lease does not free its successor":       oldLeaseIsHarmless,
	"a renewal gives a full TTL and never less":      renewalNeverShortens,
	"a renewal after a take-over is refused":         renewalOfALostLease,
	"the second release is refused":                  secondRelease,
	"a waiter of the same process is woken":          waiterIsWoken,
	"a waiter of another process polls":              waiterPolls,
	"a waiter that gives up leaves nothing":          waiterGivesUp,
	"keys are compared byte by byte":                 keysAreBytes,
	"the schema may be created by several at a time": schemaByMany,
	"no update is lost under contention":             contention,
}

func oneStatementEach(t *testing.T, w *world) {
	m := w.mutex(t, sqllock.Config{})
	release(t, acquire(t, m)) // opens the connection; pgx prepares each statement once
	w.Tap.Requests()
	release(t, acquire(t, m))
	got := w.Tap.Requests()
	if len(got) != 2 || !strings.HasPrefix(got[0], "INSERT") || !strings.HasPrefix(got[1], "UPDATE") {
		t.Errorf("lock and unlock sent %d requests:\n%s", len(got), strings.Join(got, "\n--\n"))
	}
}

func oneHolderAtATime(t *testing.T, w *world) {
	a, b := w.mutex(t, sqllock.Config{}), w.mutex(t, sqllock.Config{})
	lease := acquire(t, a)
	for _, m := range []*sqllock.Mutex{a, b} {
		_, err := m.TryAcquire(t.Context(), key)
		wantErr(t, "a second TryAcquire", err, lock.ErrNotAcquired)
	}
	owner, token, _ := w.row(t)
	if owner != lease.Owner() || token != tokenOf(t, lease) {
		t.Errorf("the row says owner %q, token %d; the lease %q, %d", owner, token, lease.Owner(), tokenOf(t, lease))
	}
	release(t, lease)
	wantErr(t, "Err after the release", lease.Err(), lock.ErrReleased)
	release(t, acquire(t, b))
}

func tokensGrow(t *testing.T, w *world) {
	m := w.mutex(t, sqllock.Config{})
	for want := lock.Token(1); want <= 3; want++ {
		lease := acquire(t, m)
		if got := tokenOf(t, lease); got != want {
			t.Errorf("token %d, want %d", got, want)
		}
		release(t, lease)
	}
	lease := acquire(t, m, lock.WithFixedLease(time.Hour))
	w.age(t, 2*time.Hour)
	if next := acquire(t, m); tokenOf(t, next) <= tokenOf(t, lease) {
		t.Errorf("token %d after an expired lease with %d", tokenOf(t, next), tokenOf(t, lease))
	} else {
		release(t, next)
	}
	wantErr(t, "release of the expired lease", lease.Release(t.Context()), lock.ErrNotHeld)
}

func expiredRowIsTakenOver(t *testing.T, w *world) {
	m := w.mutex(t, sqllock.Config{})
	a := acquire(t, m, lock.WithFixedLease(600*time.Millisecond))
	b, err := m.Acquire(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	defer release(t, b)
	select {
	case <-a.Done():
	default:
		t.Error("B was granted the lock while A still believed in its lease")
	}
	wantErr(t, "A's Err", a.Err(), lock.ErrLost)
	if owner, _, _ := w.row(t); owner != b.Owner() {
		t.Errorf("the row belongs to %q, want B's %q", owner, b.Owner())
	}
}

func oldLeaseIsHarmless(t *testing.T, w *world) {
	m := w.mutex(t, sqllock.Config{})
	a := acquire(t, m, lock.WithFixedLease(time.Hour))
	w.age(t, 2*time.Hour)
	b := acquire(t, m)
	wantErr(t, "A's release", a.Release(t.Context()), lock.ErrNotHeld)
	if owner, _, left := w.row(t); owner != b.Owner() || left <= 0 {
		t.Errorf("after A's release the row has owner %q and %v left; B is %q", owner, left, b.Owner())
	}
	release(t, b)
}

func renewalNeverShortens(t *testing.T, w *world) {
	m := w.mutex(t, sqllock.Config{NoRenew: true})
	lease := acquire(t, m, lock.WithTTL(time.Minute))
	defer release(t, lease)
	w.age(t, 30*time.Second)
	renewer := lease.(lock.Renewer)
	for range 3 { // in the same millisecond, too, it must not be taken for lost
		if err := renewer.Renew(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, left := w.row(t); left < 59*time.Second {
		t.Errorf("%v left after a renewal by a minute", left)
	}
	w.age(t, -time.Hour)
	if err := renewer.Renew(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, _, left := w.row(t); left < time.Hour {
		t.Errorf("the renewal shortened the lease to %v", left)
	}
}

func renewalOfALostLease(t *testing.T, w *world) {
	m := w.mutex(t, sqllock.Config{NoRenew: true})
	a := acquire(t, m, lock.WithTTL(time.Hour))
	w.age(t, 2*time.Hour)
	b := acquire(t, m, lock.WithTTL(time.Minute))
	wantErr(t, "A's renewal", a.(lock.Renewer).Renew(t.Context()), lock.ErrNotHeld)
	wantErr(t, "A's Err", a.Err(), lock.ErrLost)
	if owner, _, left := w.row(t); owner != b.Owner() || left > time.Minute {
		t.Errorf("A's renewal left owner %q with %v; B is %q", owner, left, b.Owner())
	}
	release(t, b)
}

func secondRelease(t *testing.T, w *world) {
	lease := acquire(t, w.mutex(t, sqllock.Config{}))
	release(t, lease)
	wantErr(t, "the second release", lease.Release(t.Context()), lock.ErrNotHeld)
}

func waiterIsWoken(t *testing.T, w *world) {
	m := w.mutex(t, sqllock.Config{PollMin: time.Hour, PollMax: time.Hour})
	lease := acquire(t, m)
	refused := make(chan struct{})
	w.Tap.On("INSERT", func(_ context.Context, send func() error) error {
		defer close(refused)
		return send()
	})
	got := acquireInBackground(t.Context(), m)
	<-refused
	release(t, lease)
	if err := <-got; err != nil {
		t.Error(err)
	}
}

func waiterPolls(t *testing.T, w *world) {
	lease := acquire(t, w.mutex(t, sqllock.Config{}))
	refused := make(chan struct{})
	w.Tap.On("INSERT", func(_ context.Context, send func() error) error {
		defer close(refused)
		return send()
	})
	got := acquireInBackground(t.Context(), w.mutex(t, sqllock.Config{PollMax: 20 * time.Millisecond}))
	<-refused
	release(t, lease)
	if err := <-got; err != nil {
		t.Error(err)
	}
}

// acquireInBackground acquires the lock and releases it at once.
func acquireInBackground(ctx context.Context, l lock.Locker) <-chan error {
	result := make(chan error, 1)
	go func() {
		lease, err := l.Acquire(ctx, key)
		if err == nil {
			err = lease.Release(ctx)
		}
		result <- err
	}()
	return result
}

func waiterGivesUp(t *testing.T, w *world) {
	m := w.mutex(t, sqllock.Config{})
	lease := acquire(t, m)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	_, err := m.Acquire(ctx, key)
	wantErr(t, "Acquire", err, lock.ErrNotAcquired)
	wantErr(t, "Acquire", err, context.DeadlineExceeded)
	wantNot(t, "Acquire", err, lock.ErrUnknownOutcome)
	if owner, _, _ := w.row(t); owner != lease.Owner() {
		t.Errorf("the row belongs to %q, want the holder's %q", owner, lease.Owner())
	}
	release(t, lease)
	release(t, acquire(t, m))
}

func keysAreBytes(t *testing.T, w *world) {
	m := w.mutex(t, sqllock.Config{})
	for _, k := range []string{"a", "A", "a ", "ä", "a:b", "a-b", "鎖", strings.Repeat("x", sqllock.MaxKey)} {
		lease, err := m.TryAcquire(t.Context(), k)
		if err != nil {
			t.Fatal(err)
		}
		defer release(t, lease)
	}
}

func schemaByMany(t *testing.T, w *world) {
	w.table += "_fresh"
	var wg sync.WaitGroup
	for range 6 {
		wg.Go(func() {
			if err := w.mutex(t, sqllock.Config{}).CreateSchema(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	release(t, acquire(t, w.mutex(t, sqllock.Config{})))
}

func contention(t *testing.T, w *world) {
	const workers, each = 4, 15
	var inside sync.Mutex
	counter := 0
	var wg sync.WaitGroup
	for range workers {
		m := w.mutex(t, sqllock.Config{PollMin: time.Millisecond, PollMax: 5 * time.Millisecond})
		wg.Go(func() {
			for range each {
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
	wg.Wait()
	if counter != workers*each {
		t.Errorf("counter = %d, want %d", counter, workers*each)
	}
}
