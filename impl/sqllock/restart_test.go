package sqllock_test

import (
	"context"
	"testing"
	"time"

	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/sqllock"
)

var restartTests = suite{
	"a lease outlives a restart of the server": leaseOutlivesRestart,
	"a dead server is an error soon":           deadServer,
}

func (w *world) needsServer(t *testing.T) {
	t.Helper()
	if w.Server == nil {
		t.Skip("an embedded database has no server to restart")
	}
}

func leaseOutlivesRestart(t *testing.T, w *world) {
	w.needsServer(t)
	m := w.mutex(t, sqllock.Config{TTL: time.Minute, RenewEvery: 20 * time.Millisecond})
	lease := acquire(t, m)
	w.Server.Kill()
	w.Server.Restart(t)
	renewed := make(chan struct{})
	w.onSuccess("UPDATE", func() { close(renewed) })
	select {
	case <-renewed:
	case <-lease.Done():
		t.Fatalf("the lease ended: %v", lease.Err())
	}
	_, err := w.mutex(t, sqllock.Config{}).TryAcquire(t.Context(), key)
	wantErr(t, "TryAcquire by another", err, lock.ErrNotAcquired)
	release(t, lease)
}

// onSuccess calls then after the first statement with match that succeeds.
func (w *world) onSuccess(match string, then func()) {
	w.Tap.On(match, func(_ context.Context, send func() error) error {
		err := send()
		if err != nil {
			w.onSuccess(match, then)
			return err
		}
		then()
		return nil
	})
}

func deadServer(t *testing.T, w *world) {
	w.needsServer(t)
	m := w.mutex(t, sqllock.Config{})
	lease := acquire(t, m, lock.WithTTL(time.Minute))
	w.Server.Kill()
	defer w.Server.Restart(t)
	for range 2 { // the first one may find a broken connection, the second one none
		_, err := m.Acquire(t.Context(), key)
		wantErr(t, "Acquire", err, lock.ErrNotAcquired)
	}
	if err := lease.Release(t.Context()); err == nil {
		t.Error("a release without a server reported success")
	}
}
