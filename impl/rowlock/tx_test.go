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
	"github.com/lockstep-sim/lockstep/impl/sqllock/dialect"
)

var txTests = suite{
	"work that succeeds is committed":                 committed,
	"work that fails is undone":                       undone,
	"work that panics is undone":                      panicked,
	"NOWAIT finds a locked row busy":                  noWaitIsBusy,
	"a bounded wait ends":                             boundedWaitEnds,
	"a wait lasts until the row is free":              waitSucceeds,
	"the connection goes back as it was":              settingsAreRestored,
	"a part may fail alone":                           partFailsAlone,
	"after a swallowed error nothing is half done":    swallowedError,
	"the victim of a deadlock runs again":             deadlockRunsAgain,
	"a cancelled transaction is undone":               cancelledTransaction,
	"a broken commit has an unknown outcome":          brokenCommit,
	"a duplicate is told apart from the other errors": duplicate,
}

func (w *world) set(t *testing.T, table string, id, value int, after func() error) error {
	t.Helper()
	return w.rows.InTx(t.Context(), rowlock.Wait{}, func(ctx context.Context, tx *rowlock.Tx) error {
		if _, err := tx.Exec(ctx, "UPDATE "+table+" SET value = ? WHERE id = ?", value, id); err != nil {
			return err
		}
		return after()
	})
}

func (w *world) wantNumber(t *testing.T, table string, id, want int) {
	t.Helper()
	if got := w.number(t, table, id); got != want {
		t.Errorf("value %d, want %d", got, want)
	}
}

func committed(t *testing.T, w *world) {
	table := w.numbers(t, 1)
	if err := w.set(t, table, 1, 7, func() error { return nil }); err != nil {
		t.Fatal(err)
	}
	w.wantNumber(t, table, 1, 7)
}

var errWork = errors.New("the work failed")

func undone(t *testing.T, w *world) {
	table := w.numbers(t, 1)
	wantErr(t, "InTx", w.set(t, table, 1, 7, func() error { return errWork }), errWork)
	w.wantNumber(t, table, 1, 0)
}

func panicked(t *testing.T, w *world) {
	table := w.numbers(t, 1)
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic was swallowed")
			}
		}()
		_ = w.set(t, table, 1, 7, func() error { panic("work") })
	}()
	w.wantNumber(t, table, 1, 0)
	w.lockNumber(t, table, 1, func() {}) // it is free
}

func (w *world) tryNumber(t *testing.T, table string, wait rowlock.Wait) error {
	t.Helper()
	return w.rows.InTx(t.Context(), wait, func(ctx context.Context, tx *rowlock.Tx) error {
		var value int
		return tx.One(ctx, "SELECT value FROM "+table+" WHERE id = ? {lock}", []any{1}, &value)
	})
}

func noWaitIsBusy(t *testing.T, w *world) {
	table := w.numbers(t, 1)
	w.lockNumber(t, table, 1, func() {
		err := w.tryNumber(t, table, rowlock.NoWait())
		wantErr(t, "InTx", err, rowlock.ErrBusy)
		wantNot(t, "InTx", err, rowlock.ErrWaitTimeout)
	})
	if err := w.tryNumber(t, table, rowlock.NoWait()); err != nil {
		t.Errorf("once the row is free: %v", err)
	}
}

func boundedWaitEnds(t *testing.T, w *world) {
	table := w.numbers(t, 1)
	w.lockNumber(t, table, 1, func() {
		start := time.Now()
		err := w.tryNumber(t, table, rowlock.Within(30*time.Millisecond))
		wantErr(t, "InTx", err, rowlock.ErrWaitTimeout)
		wantNot(t, "InTx", err, rowlock.ErrBusy)
		if waited := time.Since(start); waited < 25*time.Millisecond {
			t.Errorf("waited only %v", waited)
		}
	})
}

func waitSucceeds(t *testing.T, w *world) {
	table := w.numbers(t, 1)
	result := make(chan error, 1)
	w.lockNumber(t, table, 1, func() {
		begun := make(chan struct{})
		w.Tap.On("BEGIN", signal(begun))
		w.Tap.On("START", signal(begun))
		go func() { result <- w.tryNumber(t, table, rowlock.Within(10*time.Second)) }()
		<-begun
	})
	if err := <-result; err != nil {
		t.Error(err)
	}
}

// signal closes begun when a statement is sent.
func signal(begun chan struct{}) func(context.Context, func() error) error {
	var once sync.Once
	return func(_ context.Context, send func() error) error {
		once.Do(func() { close(begun) })
		return send()
	}
}

func settingsAreRestored(t *testing.T, w *world) {
	table := w.numbers(t, 1)
	query := map[dialect.Kind]string{
		dialect.KindSQLite:   "PRAGMA busy_timeout",
		dialect.KindPostgres: "SHOW lock_timeout",
		dialect.KindMySQL:    "SELECT @@SESSION.innodb_lock_wait_timeout",
	}[w.Kind()]
	w.DB.SetMaxOpenConns(2) // the one that keeps the database in memory alive, and one more
	defer w.DB.SetMaxOpenConns(0)
	if w.Server != nil {
		w.DB.SetMaxOpenConns(1)
	}
	var before, after string
	w.Scan(t, query, nil, &before)
	for _, fail := range []error{nil, errWork} {
		err := w.rows.InTx(t.Context(), rowlock.Within(77*time.Second), func(ctx context.Context, tx *rowlock.Tx) error {
			if _, err := tx.Exec(ctx, "UPDATE "+table+" SET value = 1"); err != nil {
				return err
			}
			return fail
		})
		wantErr(t, "InTx", err, fail)
		w.Scan(t, query, nil, &after)
		if after != before {
			t.Errorf("%s: %s, before it was %s", query, after, before)
		}
	}
}

func partFailsAlone(t *testing.T, w *world) {
	table := w.numbers(t, 2)
	err := w.rows.InTx(t.Context(), rowlock.Wait{}, func(ctx context.Context, tx *rowlock.Tx) error {
		if _, err := tx.Exec(ctx, "UPDATE "+table+" SET value = 1 WHERE id = 1"); err != nil {
			return err
		}
		failed := tx.Try(ctx, func(ctx context.Context) error {
			if _, err := tx.Exec(ctx, "UPDATE "+table+" SET value = 2 WHERE id = 2"); err != nil {
				return err
			}
			_, err := tx.Exec(ctx, "INSERT INTO "+table+" VALUES (1, 9)")
			return err
		})
		if w.Dialect.Class(failed) != dialect.Duplicate {
			t.Errorf("the part returned %v, want a duplicate", failed)
		}
		if err := tx.Try(ctx, func(context.Context) error { return nil }); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, "INSERT INTO "+table+" VALUES (3, 3)")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for id, want := range map[int]int{1: 1, 2: 0, 3: 3} {
		w.wantNumber(t, table, id, want)
	}
}

// On PostgreSQL the transaction is gone, and a COMMIT would quietly be a
// rollback; elsewhere it goes on.
func swallowedError(t *testing.T, w *world) {
	table := w.numbers(t, 1)
	err := w.rows.InTx(t.Context(), rowlock.Wait{}, func(ctx context.Context, tx *rowlock.Tx) error {
		if _, err := tx.Exec(ctx, "UPDATE "+table+" SET value = 1 WHERE id = 1"); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, "INSERT INTO "+table+" VALUES (1, 9)"); err == nil {
			t.Error("a duplicate was accepted")
		}
		_, err := tx.Exec(ctx, "UPDATE "+table+" SET value = 2 WHERE id = 1")
		if (err != nil) != (w.Kind() == dialect.KindPostgres) {
			t.Errorf("the statement after the error returned %v", err)
		}
		return nil
	})
	if w.Kind() == dialect.KindPostgres {
		wantErr(t, "InTx", err, rowlock.ErrAborted)
		w.wantNumber(t, table, 1, 0)
		return
	}
	if err != nil {
		t.Error(err)
	}
	w.wantNumber(t, table, 1, 2)
}

// Two transactions update two rows in opposite order. SQLite lets the second
// one begin only when the first is over.
func deadlockRunsAgain(t *testing.T, w *world) {
	table := w.numbers(t, 2)
	var runs sync.WaitGroup
	meet := newMeeting(2)
	for _, order := range [][]int{{1, 2}, {2, 1}} {
		runs.Go(func() {
			err := w.rows.InTx(t.Context(), rowlock.Wait{}, func(ctx context.Context, tx *rowlock.Tx) error {
				for _, id := range order {
					if _, err := tx.Exec(ctx, "UPDATE "+table+" SET value = value + 1 WHERE id = ?", id); err != nil {
						return err
					}
					if !w.coarse() {
						meet.join()
					}
				}
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	runs.Wait()
	for id := 1; id <= 2; id++ {
		w.wantNumber(t, table, id, 2)
	}
}

// meeting makes the first n calls of join wait for each other; later ones pass.
type meeting struct {
	mu    sync.Mutex
	left  int
	ready chan struct{}
}

func newMeeting(n int) *meeting { return &meeting{left: n, ready: make(chan struct{})} }

func (m *meeting) join() {
	m.mu.Lock()
	if m.left--; m.left == 0 {
		close(m.ready)
	}
	m.mu.Unlock()
	<-m.ready
}

func cancelledTransaction(t *testing.T, w *world) {
	table := w.numbers(t, 1)
	ctx, cancel := context.WithCancel(t.Context())
	err := w.rows.InTx(ctx, rowlock.Wait{}, func(ctx context.Context, tx *rowlock.Tx) error {
		if _, err := tx.Exec(ctx, "UPDATE "+table+" SET value = 1"); err != nil {
			return err
		}
		cancel()
		return ctx.Err()
	})
	wantErr(t, "InTx", err, context.Canceled)
	w.wantNumber(t, table, 1, 0)
	w.lockNumber(t, table, 1, func() {})
}

func brokenCommit(t *testing.T, w *world) {
	table := w.numbers(t, 1)
	w.Tap.LoseReply("COMMIT")
	err := w.set(t, table, 1, 1, func() error { return nil })
	wantErr(t, "InTx", err, lock.ErrUnknownOutcome)
	wantErr(t, "InTx", err, sqltest.ErrCut)
	w.wantNumber(t, table, 1, 1) // it was carried out
}

func duplicate(t *testing.T, w *world) {
	table := w.numbers(t, 1)
	err := w.rows.InTx(t.Context(), rowlock.Wait{}, func(ctx context.Context, tx *rowlock.Tx) error {
		_, err := tx.Exec(ctx, "INSERT INTO "+table+" VALUES (1, 1)")
		return err
	})
	if got := w.Dialect.Class(err); got != dialect.Duplicate {
		t.Errorf("%v is of class %v, want duplicate", err, got)
	}
	err = w.tryNumber(t, "no_such_table", rowlock.NoWait())
	if got := w.Dialect.Class(err); got != dialect.Rejected {
		t.Errorf("%v is of class %v, want rejected", err, got)
	}
}
