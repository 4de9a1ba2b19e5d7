package antipattern_test

import (
	"context"
	"database/sql"
	"errors"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/lockstep-sim/lockstep/impl/clock"
	"github.com/lockstep-sim/lockstep/impl/internal/sqltest"
	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/sqllock"
	"github.com/lockstep-sim/lockstep/impl/sqllock/antipattern"
	"github.com/lockstep-sim/lockstep/impl/sqllock/dialect"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const key = "lock:order:1"

// world is a database with a lock table, and the right lock on it.
type world struct {
	sqltest.Backend
	right *sqllock.Mutex
}

func newWorld(t *testing.T, b sqltest.Backend) *world {
	t.Helper()
	right, err := sqllock.New(b.DB, sqllock.Config{Dialect: b.Dialect, NoRenew: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := right.CreateSchema(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.Exec(t, "DELETE FROM "+sqllock.DefaultTable)
	return &world{b, right}
}

func (w *world) owner(t *testing.T) (owner string) {
	t.Helper()
	w.Scan(t, "SELECT owner FROM "+sqllock.DefaultTable+" WHERE name = ?", []any{key}, &owner)
	return owner
}

func (w *world) age(t *testing.T, by time.Duration) {
	t.Helper()
	w.Exec(t, "UPDATE "+sqllock.DefaultTable+" SET expires_ms = expires_ms - ?", by.Milliseconds())
}

func build[L lock.Locker](
	t *testing.T, w *world, construct func(*sql.DB, sqllock.Config) (L, error), cfg sqllock.Config,
) lock.Locker {
	t.Helper()
	cfg.Dialect, cfg.NoRenew = w.Dialect, true
	l, err := construct(w.DB, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func acquire(t *testing.T, l lock.Locker) lock.Lease {
	t.Helper()
	lease, err := l.TryAcquire(t.Context(), key, lock.WithTTL(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	return lease
}

func TestEachDatabase(t *testing.T) {
	sqltest.Each(t, func(t *testing.T, b sqltest.Backend) {
		for name, test := range map[string]func(*testing.T, *world){
			"expiry assigned before the owner":    expiryFirst,
			"expiry by the application's clock":   applicationClock,
			"release by name alone":               releaseWithoutOwner,
			"a row without an expiry":             insertOnly,
			"clean-up in two steps":               twoStepCleanUp,
			"write without a version":             unversioned,
			"version on another row":              versionElsewhere,
			"without a mistake's cause all works": ordinaryUse,
		} {
			t.Run(name, func(t *testing.T) { test(t, newWorld(t, b)) })
		}
	})
}

func expiryFirst(t *testing.T, w *world) {
	if w.Kind() != dialect.KindMySQL {
		_, err := antipattern.NewExpiryFirst(w.DB, sqllock.Config{Dialect: w.Dialect})
		if !errors.Is(err, lock.ErrInvalid) {
			t.Errorf("NewExpiryFirst = %v, want lock.ErrInvalid", err)
		}
		return
	}
	l := build(t, w, antipattern.NewExpiryFirst, sqllock.Config{})
	a := acquire(t, l)
	w.age(t, 2*time.Hour)
	b := acquire(t, l) // "granted"
	if got := w.owner(t); got != a.Owner() || got == b.Owner() {
		t.Errorf("the row belongs to %q; the mistake leaves it with the old owner %q", got, a.Owner())
	}
	if err := b.Release(t.Context()); !errors.Is(err, lock.ErrNotHeld) {
		t.Errorf("B's release = %v, want lock.ErrNotHeld", err)
	}
}

// fast is a clock that is ahead.
type fast struct {
	clock.Clock
	by time.Duration
}

func (f fast) Now() time.Time { return f.Clock.Now().Add(f.by) }

func applicationClock(t *testing.T, w *world) {
	a := acquire(t, build(t, w, antipattern.NewApplicationClock, sqllock.Config{}))
	ahead := sqllock.Config{Clock: fast{clock.Real(), 2 * time.Hour}}
	b := acquire(t, build(t, w, antipattern.NewApplicationClock, ahead))
	if a.Err() != nil || b.Err() != nil {
		t.Errorf("A: %v, B: %v; the mistake gives two believers", a.Err(), b.Err())
	}
	if got := w.owner(t); got != b.Owner() {
		t.Errorf("the row belongs to %q, want B's %q", got, b.Owner())
	}
}

func releaseWithoutOwner(t *testing.T, w *world) {
	l := build(t, w, antipattern.NewReleaseWithoutOwner, sqllock.Config{})
	a := acquire(t, l)
	w.age(t, 2*time.Hour)
	acquire(t, w.right)
	if err := a.Release(t.Context()); err != nil {
		t.Errorf("A's release = %v; the mistake reports success", err)
	}
	acquire(t, w.right) // beside the one that holds it
}

func insertOnly(t *testing.T, w *world) {
	l := build(t, w, antipattern.NewInsertOnly, sqllock.Config{})
	acquire(t, l) // and dies
	w.age(t, 24*365*time.Hour)
	if _, err := l.TryAcquire(t.Context(), key); !errors.Is(err, lock.ErrNotAcquired) {
		t.Errorf("a year later TryAcquire = %v; the mistake leaves the row for ever", err)
	}
}

func twoStepCleanUp(t *testing.T, w *world) {
	acquire(t, w.right)
	w.age(t, 3*time.Hour)
	job, err := antipattern.NewTwoStepCleanUp(w.DB, sqllock.Config{Dialect: w.Dialect})
	if err != nil {
		t.Fatal(err)
	}
	w.Tap.On("DELETE", func(_ context.Context, send func() error) error {
		acquire(t, w.right)
		return send()
	})
	deleted, err := job.CleanUp(t.Context(), time.Minute)
	if err != nil || deleted != 1 {
		t.Fatalf("CleanUp = %d, %v; want 1", deleted, err)
	}
	acquire(t, w.right) // beside the one that has just been granted it
}

func (w *world) accounts(t *testing.T) sqllock.Versioned[int64] {
	t.Helper()
	w.Exec(t, "DROP TABLE IF EXISTS accounts")
	w.Exec(t, "CREATE TABLE accounts (id INTEGER NOT NULL PRIMARY KEY, balance BIGINT NOT NULL, version BIGINT NOT NULL)")
	w.Exec(t, "INSERT INTO accounts VALUES (1, 100, 1)")
	return sqllock.Versioned[int64]{
		DB: w.DB, Dialect: w.Dialect, Table: "accounts", Key: "id", Value: "balance", Version: "version",
	}
}

func unversioned(t *testing.T, w *world) {
	accounts := antipattern.Unversioned[int64]{Versioned: w.accounts(t)}
	balance, version, err := accounts.Read(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range []int64{10, 20} {
		if err := accounts.Write(t.Context(), 1, balance+change, version); err != nil {
			t.Fatal(err)
		}
	}
	if balance, _, _ = accounts.Read(t.Context(), 1); balance != 120 {
		t.Errorf("balance %d; the mistake loses the first change: 120", balance)
	}
}

func versionElsewhere(t *testing.T, w *world) {
	accounts := w.accounts(t)
	w.Exec(t, "DROP TABLE IF EXISTS guards")
	w.Exec(t, "CREATE TABLE guards (id INTEGER NOT NULL PRIMARY KEY, note VARCHAR(9) NOT NULL, version BIGINT NOT NULL)")
	w.Exec(t, "INSERT INTO guards VALUES (1, '', 1)")
	guard := sqllock.Versioned[string]{
		DB: w.DB, Dialect: w.Dialect, Table: "guards", Key: "id", Value: "note", Version: "version",
	}
	guarded := antipattern.VersionElsewhere[int64]{Data: antipattern.Unversioned[int64]{Versioned: accounts}, Lock: guard}
	balance, _, err := accounts.Read(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	// A third party writes properly, with the version of the data.
	if err := accounts.Write(t.Context(), 1, balance+50, 1); err != nil {
		t.Fatal(err)
	}
	if err := guarded.Write(t.Context(), 1, 1, balance+1, 1); err != nil {
		t.Fatal(err)
	}
	if got, _, _ := accounts.Read(t.Context(), 1); got != 101 {
		t.Errorf("balance %d; the mistake overwrites the 150: 101", got)
	}
	if err := guarded.Write(t.Context(), 1, 1, 0, 1); !errors.Is(err, sqllock.ErrConflict) {
		t.Errorf("the second write under one version of the lock = %v, want a conflict", err)
	}
}

// Each mistake goes unnoticed as long as nothing goes wrong.
func ordinaryUse(t *testing.T, w *world) {
	lockers := map[string]lock.Locker{
		"ApplicationClock":    build(t, w, antipattern.NewApplicationClock, sqllock.Config{}),
		"ReleaseWithoutOwner": build(t, w, antipattern.NewReleaseWithoutOwner, sqllock.Config{}),
		"InsertOnly":          build(t, w, antipattern.NewInsertOnly, sqllock.Config{}),
	}
	if w.Kind() == dialect.KindMySQL {
		lockers["ExpiryFirst"] = build(t, w, antipattern.NewExpiryFirst, sqllock.Config{})
	}
	for name, l := range lockers {
		w.Exec(t, "DELETE FROM "+sqllock.DefaultTable)
		lease := acquire(t, l)
		if _, err := l.TryAcquire(t.Context(), key); !errors.Is(err, lock.ErrNotAcquired) {
			t.Errorf("%s: a second TryAcquire = %v, want lock.ErrNotAcquired", name, err)
		}
		if err := lease.Release(t.Context()); err != nil {
			t.Errorf("%s: release: %v", name, err)
		}
	}
}
