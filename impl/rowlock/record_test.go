package rowlock_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/lockstep-sim/lockstep/impl/internal/sqltest"
	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/rowlock"
)

var recordTests = suite{
	"one owner at a time":                               recordExcludes,
	"re-entry counts, and the last release frees":       recordReenters,
	"re-entry never shortens the lease":                 reentryKeepsLease,
	"a new owner has none of the old one's holds":       takeOverClearsHolds,
	"an old lease does not free its successor":          oldRecordLease,
	"a grant whose answer is lost is taken back":        recordAnswerLost,
	"a lost re-entry does not raise the hold count":     reentryAnswerLost,
	"absent rows make no deadlock":                      absentRows,
	"a renewal keeps the record and a lost one is told": recordRenewal,
}

const key = "lock:order:1"

func (w *world) record(t testing.TB, cfg rowlock.RecordConfig) *rowlock.Record {
	t.Helper()
	cfg.Dialect, cfg.Table = w.Dialect, w.table("records")
	r, err := rowlock.NewRecord(w.DB, cfg)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.CreateSchema(t.Context()); err != nil {
		t.Fatal(err)
	}
	return r
}

func (w *world) recordRow(t testing.TB) (owner string, holds int, left time.Duration) {
	t.Helper()
	var expires int64
	w.Scan(t, "SELECT owner, expires_ms, (SELECT COUNT(*) FROM "+w.table("records")+"_holds) FROM "+
		w.table("records")+" WHERE name = ?", []any{key}, &owner, &expires, &holds)
	return owner, holds, time.Duration(expires-w.Now(t)) * time.Millisecond
}

func (w *world) ageRecord(t testing.TB, by time.Duration) {
	t.Helper()
	w.Exec(t, "UPDATE "+w.table("records")+" SET expires_ms = expires_ms - ?", by.Milliseconds())
}

func acquire(t testing.TB, l lock.Locker, opts ...lock.Option) lock.Lease {
	t.Helper()
	lease, err := l.TryAcquire(t.Context(), key, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return lease
}

func refused(t testing.TB, l lock.Locker, opts ...lock.Option) {
	t.Helper()
	_, err := l.TryAcquire(t.Context(), key, opts...)
	wantErr(t, "TryAcquire", err, lock.ErrNotAcquired)
}

func recordExcludes(t *testing.T, w *world) {
	r := w.record(t, rowlock.RecordConfig{})
	for want := lock.Token(1); want <= 2; want++ {
		lease := acquire(t, r)
		if token, _ := lease.Token(); token != want {
			t.Errorf("token %d, want %d", token, want)
		}
		refused(t, r)
		refused(t, r, lock.WithOwner("somebody"))
		release(t, lease)
		wantErr(t, "the second release", lease.Release(t.Context()), lock.ErrNotHeld)
	}
}

func recordReenters(t *testing.T, w *world) {
	r := w.record(t, rowlock.RecordConfig{})
	me := lock.WithOwner("me")
	outer, inner := acquire(t, r, me), acquire(t, r, me)
	a, _ := outer.Token()
	b, _ := inner.Token()
	if a != b || inner.Owner() != "me" {
		t.Errorf("tokens %d and %d, owner %q; want the same token, owner me", a, b, inner.Owner())
	}
	if _, holds, _ := w.recordRow(t); holds != 2 {
		t.Errorf("%d holds, want 2", holds)
	}
	release(t, outer) // in either order
	refused(t, r)
	wantErr(t, "a second release of the outer lease", outer.Release(t.Context()), lock.ErrNotHeld)
	refused(t, r)
	release(t, inner)
	if owner, holds, _ := w.recordRow(t); owner != "" || holds != 0 {
		t.Errorf("owner %q, %d holds; want none", owner, holds)
	}
	release(t, acquire(t, r))
}

func reentryKeepsLease(t *testing.T, w *world) {
	r := w.record(t, rowlock.RecordConfig{NoRenew: true})
	me := lock.WithOwner("me")
	outer := acquire(t, r, me, lock.WithTTL(time.Hour))
	inner := acquire(t, r, me, lock.WithTTL(time.Second))
	if _, _, left := w.recordRow(t); left < 59*time.Minute {
		t.Errorf("%v left after a re-entry for a second", left)
	}
	release(t, inner)
	release(t, outer)
}

func takeOverClearsHolds(t *testing.T, w *world) {
	r := w.record(t, rowlock.RecordConfig{NoRenew: true, TTL: time.Hour})
	me := lock.WithOwner("me")
	old := []lock.Lease{acquire(t, r, me), acquire(t, r, me)}
	w.ageRecord(t, 2*time.Hour)
	again := acquire(t, r, me) // not a re-entry: the lock was free
	if before, _ := old[0].Token(); tokenOf(again) <= before {
		t.Errorf("token %d after %d", tokenOf(again), before)
	}
	for _, lease := range old {
		wantErr(t, "release of an old hold", lease.Release(t.Context()), lock.ErrNotHeld)
	}
	refused(t, r)
	release(t, again)
	release(t, acquire(t, r))
}

func tokenOf(lease lock.Lease) lock.Token {
	token, _ := lease.Token()
	return token
}

func oldRecordLease(t *testing.T, w *world) {
	r := w.record(t, rowlock.RecordConfig{NoRenew: true, TTL: time.Hour})
	a := acquire(t, r)
	w.ageRecord(t, 2*time.Hour)
	b := acquire(t, r)
	wantErr(t, "A's release", a.Release(t.Context()), lock.ErrNotHeld)
	refused(t, r)
	release(t, b)
}

func recordAnswerLost(t *testing.T, w *world) {
	r := w.record(t, rowlock.RecordConfig{})
	release(t, acquire(t, r)) // makes the row
	w.Tap.LoseReply("COMMIT")
	_, err := r.TryAcquire(t.Context(), key)
	wantErr(t, "TryAcquire", err, lock.ErrNotAcquired)
	wantErr(t, "TryAcquire", err, sqltest.ErrCut)
	wantNot(t, "TryAcquire", err, lock.ErrUnknownOutcome)
	release(t, acquire(t, r))
}

func reentryAnswerLost(t *testing.T, w *world) {
	r := w.record(t, rowlock.RecordConfig{})
	me := lock.WithOwner("me")
	outer := acquire(t, r, me)
	w.Tap.LoseReply("COMMIT")
	_, err := r.TryAcquire(t.Context(), key, me)
	wantErr(t, "the re-entry", err, lock.ErrNotAcquired)
	inner := acquire(t, r, me)
	if _, holds, _ := w.recordRow(t); holds != 2 {
		t.Errorf("%d holds, want the outer one and the one that was granted", holds)
	}
	release(t, inner)
	release(t, outer)
	release(t, acquire(t, r))
}

func absentRows(t *testing.T, w *world) {
	r := w.record(t, rowlock.RecordConfig{})
	var all sync.WaitGroup
	for range 6 {
		all.Go(func() {
			lease, err := r.Acquire(t.Context(), key)
			if err == nil {
				err = lease.Release(context.Background())
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}

func recordRenewal(t *testing.T, w *world) {
	r := w.record(t, rowlock.RecordConfig{NoRenew: true, TTL: time.Hour})
	lease := acquire(t, r)
	w.ageRecord(t, 30*time.Minute)
	for range 2 {
		if err := lease.(lock.Renewer).Renew(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, left := w.recordRow(t); left < 59*time.Minute {
		t.Errorf("%v left after a renewal by an hour", left)
	}
	w.ageRecord(t, 2*time.Hour)
	wantErr(t, "the renewal of a lost lease", lease.(lock.Renewer).Renew(t.Context()), lock.ErrNotHeld)
	if !errors.Is(lease.Err(), lock.ErrLost) {
		t.Errorf("Err = %v, want lock.ErrLost", lease.Err())
	}
}
