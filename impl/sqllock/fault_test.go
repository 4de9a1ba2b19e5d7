package sqllock_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/lockstep-sim/lockstep/impl/internal/sqltest"
	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/sqllock"
	"github.com/lockstep-sim/lockstep/impl/sqllock/dialect"
)

var faultTests = suite{
	"a grant whose answer is lost is taken back":            answerOfGrantLost,
	"a grant that cannot be taken back is said to be so":    cleanUpFails,
	"a request that is lost leaves nothing":                 requestOfGrantLost,
	"cancelled after the grant, before the answer":          cancelledAfterGrant,
	"a release whose answer is lost is confirmed":           answerOfReleaseLost,
	"a release that is lost is sent again":                  requestOfReleaseLost,
	"a release that fails ends the lease and its renewal":   releaseFails,
	"a release sent again does not free a newer lock":       secondReleaseAfterNewGrant,
	"a deadlock is retried, and is not a refusal":           deadlockIsRetried,
	"a deadlock that persists is not called held":           deadlockPersists,
	"a missing table is one clear error":                    missingTable,
	"a renewal that fails for a while does not end a lease": renewalFailsForAWhile,
}

func answerOfGrantLost(t *testing.T, w *world) {
	m := w.mutex(t, sqllock.Config{})
	w.Tap.LoseReply("INSERT")
	_, err := m.TryAcquire(t.Context(), key)
	wantErr(t, "TryAcquire", err, lock.ErrNotAcquired)
	wantErr(t, "TryAcquire", err, sqltest.ErrCut)
	wantNot(t, "TryAcquire", err, lock.ErrUnknownOutcome)
	if owner, token, _ := w.row(t); owner != "" || token != 1 {
		t.Errorf("the row has owner %q and token %d, want a freed row that was granted once", owner, token)
	}
	release(t, acquire(t, m))
}

func cleanUpFails(t *testing.T, w *world) {
	w.Tap.LoseReply("INSERT")
	w.Tap.LoseRequest("UPDATE")
	_, err := w.mutex(t, sqllock.Config{}).TryAcquire(t.Context(), key)
	wantErr(t, "TryAcquire", err, lock.ErrNotAcquired)
	wantErr(t, "TryAcquire", err, lock.ErrUnknownOutcome)
}

func requestOfGrantLost(t *testing.T, w *world) {
	w.Tap.LoseRequest("INSERT")
	_, err := w.mutex(t, sqllock.Config{}).TryAcquire(t.Context(), key)
	wantErr(t, "TryAcquire", err, lock.ErrNotAcquired)
	wantNot(t, "TryAcquire", err, lock.ErrUnknownOutcome)
	var rows int
	if w.Scan(t, "SELECT COUNT(*) FROM "+w.table, nil, &rows); rows != 0 {
		t.Errorf("%d rows, want none", rows)
	}
}

func cancelledAfterGrant(t *testing.T, w *world) {
	ctx, cancel := context.WithCancel(t.Context())
	w.Tap.On("INSERT", func(_ context.Context, send func() error) error {
		defer cancel()
		return send()
	})
	m := w.mutex(t, sqllock.Config{})
	_, err := m.Acquire(ctx, key)
	wantErr(t, "Acquire", err, lock.ErrNotAcquired)
	wantErr(t, "Acquire", err, context.Canceled)
	release(t, acquire(t, m))
}

func answerOfReleaseLost(t *testing.T, w *world) {
	m := w.mutex(t, sqllock.Config{})
	lease := acquire(t, m)
	w.Tap.LoseReply("UPDATE")
	release(t, lease)
	release(t, acquire(t, m))
}

func requestOfReleaseLost(t *testing.T, w *world) {
	lease := acquire(t, w.mutex(t, sqllock.Config{}))
	w.Tap.LoseRequest("UPDATE")
	release(t, lease)
	if owner, _, _ := w.row(t); owner != "" {
		t.Errorf("the row still belongs to %q", owner)
	}
}

func releaseFails(t *testing.T, w *world) {
	lease := acquire(t, w.mutex(t, sqllock.Config{TTL: 300 * time.Millisecond}))
	w.Tap.LoseRequest("UPDATE")
	w.Tap.LoseRequest("UPDATE")
	err := lease.Release(t.Context())
	wantErr(t, "Release", err, sqltest.ErrCut)
	wantErr(t, "Release", err, lock.ErrUnknownOutcome)
	wantErr(t, "Err", lease.Err(), lock.ErrReleased)
	// Nothing renews it: the next one gets in when the TTL is over.
	next, err := w.mutex(t, sqllock.Config{}).Acquire(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	release(t, next)
}

func secondReleaseAfterNewGrant(t *testing.T, w *world) {
	m := w.mutex(t, sqllock.Config{})
	first := acquire(t, m)
	var next lock.Lease
	w.Tap.On("UPDATE", func(_ context.Context, send func() error) error {
		if err := send(); err != nil {
			t.Error(err)
		}
		next = acquire(t, m)
		return sqltest.ErrCut
	})
	release(t, first)
	if owner, _, _ := w.row(t); owner != next.Owner() {
		t.Errorf("the row belongs to %q, want the newer lease's %q", owner, next.Owner())
	}
	release(t, next)
}

// sqliteBusy is an error as modernc.org/sqlite makes it.
type sqliteBusy struct{}

func (sqliteBusy) Error() string { return "database is locked (5) (SQLITE_BUSY)" }
func (sqliteBusy) Code() int     { return 5 }

// deadlock is what the database says to the victim of a deadlock, or the
// nearest that it has.
func (w *world) deadlock() error {
	switch w.Kind() {
	case dialect.KindPostgres:
		return &pgconn.PgError{Code: "40P01", Message: "deadlock detected"}
	case dialect.KindMySQL:
		return &mysql.MySQLError{Number: 1213, Message: "Deadlock found when trying to get lock"}
	default:
		return sqliteBusy{}
	}
}

func (w *world) failWith(match string, times int, err error) {
	for range times {
		w.Tap.On(match, func(context.Context, func() error) error { return err })
	}
}

func deadlockIsRetried(t *testing.T, w *world) {
	m := w.mutex(t, sqllock.Config{})
	w.failWith("INSERT", 2, w.deadlock())
	lease := acquire(t, m)
	w.failWith("UPDATE", 2, w.deadlock())
	release(t, lease)
}

func deadlockPersists(t *testing.T, w *world) {
	m := w.mutex(t, sqllock.Config{PollMin: time.Millisecond})
	deadlock := w.deadlock()
	w.failWith("INSERT", 4, deadlock)
	_, err := m.TryAcquire(t.Context(), key)
	wantErr(t, "TryAcquire", err, lock.ErrNotAcquired)
	wantErr(t, "TryAcquire", err, deadlock)
	// Acquire does not give up over it.
	w.failWith("INSERT", 9, deadlock)
	lease, err := m.Acquire(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	release(t, lease)
}

func missingTable(t *testing.T, w *world) {
	w.table = "no_such_table"
	_, err := w.mutex(t, sqllock.Config{}).Acquire(t.Context(), key)
	wantErr(t, "Acquire", err, lock.ErrNotAcquired)
	wantNot(t, "Acquire", err, lock.ErrUnknownOutcome)
	if err == nil {
		return
	}
	var e interface{ Unwrap() error }
	if !errors.As(err, &e) {
		t.Errorf("the database's own error is not part of %v", err)
	}
}

func renewalFailsForAWhile(t *testing.T, w *world) {
	m := w.mutex(t, sqllock.Config{TTL: 5 * time.Second, RenewEvery: 10 * time.Millisecond})
	lease := acquire(t, m)
	renewed := make(chan struct{})
	w.Tap.LoseRequest("UPDATE")
	w.Tap.LoseReply("UPDATE")
	w.Tap.On("UPDATE", func(_ context.Context, send func() error) error {
		defer close(renewed)
		return send()
	})
	<-renewed
	if err := lease.Err(); err != nil {
		t.Errorf("the lease ended: %v", err)
	}
	release(t, lease)
}
