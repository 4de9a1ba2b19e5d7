package sqllock_test

import (
	"context"
	"testing"
	"time"

	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/sqllock"
)

var cleanUpTests = suite{
	"clean-up deletes idle rows alone":           cleanUpDeletesIdleRows,
	"clean-up spares a row taken over meanwhile": cleanUpSparesTakenOver,
	"tokens go on growing after a clean-up":      tokensSurviveCleanUp,
	"clean-up of a short idle time is refused":   cleanUpTooEager,
}

const idle = sqllock.MinIdle

func cleanUp(t *testing.T, m *sqllock.Mutex) int64 {
	t.Helper()
	deleted, err := m.CleanUp(t.Context(), idle)
	if err != nil {
		t.Fatal(err)
	}
	return deleted
}

// use acquires and releases the lock of the given name.
func use(t *testing.T, m *sqllock.Mutex, name string) lock.Token {
	t.Helper()
	lease, err := m.TryAcquire(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	release(t, lease)
	return tokenOf(t, lease)
}

func (w *world) names(t *testing.T) (n int) {
	t.Helper()
	w.Scan(t, "SELECT COUNT(*) FROM "+w.table, nil, &n)
	return n
}

func cleanUpDeletesIdleRows(t *testing.T, w *world) {
	m := w.mutex(t, sqllock.Config{})
	use(t, m, "released long ago")
	expired, err := m.TryAcquire(t.Context(), "expired long ago", lock.WithFixedLease(time.Second))
	if err != nil {
		t.Fatal(err)
	}
	live := acquire(t, m, lock.WithFixedLease(time.Hour))
	if n := cleanUp(t, m); n != 0 {
		t.Errorf("%d rows deleted while none was idle", n)
	}
	w.age(t, idle+2*time.Second)
	if n := cleanUp(t, m); n != 0 {
		t.Errorf("%d rows deleted before their tokens were put into the floor", n)
	}
	w.age(t, idle+2*time.Second)
	use(t, m, "released just now")
	if n := cleanUp(t, m); n != 2 {
		t.Errorf("%d rows deleted, want the two that were idle", n)
	}
	if n := w.names(t); n != 2 {
		t.Errorf("%d rows left, want the live one and the one released just now", n)
	}
	release(t, live)
	wantErr(t, "release of the expired lease", expired.Release(t.Context()), lock.ErrNotHeld)
}

// The job has been sent and has not arrived when somebody takes the row over.
func cleanUpSparesTakenOver(t *testing.T, w *world) {
	m := w.mutex(t, sqllock.Config{})
	use(t, m, key)
	w.age(t, 2*idle)
	cleanUp(t, m)
	w.age(t, 2*idle)
	var lease lock.Lease
	w.Tap.On("DELETE", func(_ context.Context, send func() error) error {
		lease = acquire(t, m)
		return send()
	})
	if n := cleanUp(t, m); n != 0 {
		t.Errorf("%d rows deleted, want none: the row was taken over", n)
	}
	release(t, lease)
}

func tokensSurviveCleanUp(t *testing.T, w *world) {
	m := w.mutex(t, sqllock.Config{})
	var last lock.Token
	for range 5 {
		last = use(t, m, "busy")
	}
	use(t, m, "quiet")
	for round := range 3 {
		for range 2 {
			w.age(t, 2*idle)
			cleanUp(t, m)
		}
		if n := w.names(t); n != 0 {
			t.Fatalf("round %d: %d rows left, want none", round, n)
		}
		for _, name := range []string{"busy", "quiet"} {
			if token := use(t, m, name); token <= last {
				t.Errorf("round %d: token %d for %q, after %d before the clean-up", round, token, name, last)
			}
		}
		last = use(t, m, "busy")
	}
}

func cleanUpTooEager(t *testing.T, w *world) {
	_, err := w.mutex(t, sqllock.Config{}).CleanUp(t.Context(), idle-1)
	wantErr(t, "CleanUp", err, lock.ErrInvalid)
}
