package antipattern_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/lockstep-sim/lockstep/impl/internal/sqltest"
	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/rowlock"
	"github.com/lockstep-sim/lockstep/impl/rowlock/antipattern"
	"github.com/lockstep-sim/lockstep/impl/sqllock/dialect"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const key = "lock:order:1"

type world struct {
	sqltest.Backend
	// rows never runs a transaction twice, so that the first error shows.
	rows *rowlock.DB
}

func TestEachDatabase(t *testing.T) {
	sqltest.Each(t, func(t *testing.T, b sqltest.Backend) {
		rows, err := rowlock.New(b.DB, rowlock.Config{Dialect: b.Dialect, Tries: 1})
		if err != nil {
			t.Fatal(err)
		}
		for name, test := range map[string]func(*testing.T, *world){
			"an owner that is shared":              sharedOwner,
			"commit taken for release":             releaseByCommit,
			"an absent row locked":                 absentRow,
			"one answer for busy and for sold out": oneAnswer,
			"rows locked in the order of the call": callOrder,
		} {
			t.Run(name, func(t *testing.T) { test(t, &world{b, rows}) })
		}
	})
}

func (w *world) record(t *testing.T, table string) *rowlock.Record {
	t.Helper()
	r, err := rowlock.NewRecord(w.DB, rowlock.RecordConfig{Dialect: w.Dialect, Table: table, NoRenew: true, TTL: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.CreateSchema(t.Context()); err != nil {
		t.Fatal(err)
	}
	return r
}

func acquire(t *testing.T, l lock.Locker) lock.Lease {
	t.Helper()
	lease, err := l.TryAcquire(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	return lease
}

func sharedOwner(t *testing.T, w *world) {
	r := w.record(t, "shared")
	instance := antipattern.SharedOwner{Record: r, Instance: "orders-1"}
	one, two := acquire(t, instance), acquire(t, instance)
	if one.Err() != nil || two.Err() != nil {
		t.Errorf("%v, %v; the mistake lets two flows of control in at once", one.Err(), two.Err())
	}
	other := antipattern.SharedOwner{Record: r, Instance: "orders-2"}
	if _, err := other.TryAcquire(t.Context(), key); !errors.Is(err, lock.ErrNotAcquired) {
		t.Errorf("another instance: %v, want lock.ErrNotAcquired", err)
	}
}

func releaseByCommit(t *testing.T, w *world) {
	l := antipattern.ReleaseByCommit{DB: w.rows, Record: w.record(t, "committed")}
	if err := acquire(t, l).Release(t.Context()); err != nil {
		t.Errorf("the release returned %v; the mistake reports success", err)
	}
	if _, err := l.TryAcquire(t.Context(), key); !errors.Is(err, lock.ErrNotAcquired) {
		t.Errorf("the next TryAcquire = %v; the mistake leaves the lock taken", err)
	}
}

func absentRow(t *testing.T, w *world) {
	w.Exec(t, "CREATE TABLE claims (name VARCHAR(99) NOT NULL PRIMARY KEY, owner VARCHAR(99) NOT NULL)")
	looked := make(chan struct{}, 2)
	bothLooked := make(chan struct{})
	claim := antipattern.AbsentRow{DB: w.rows, Table: "claims", Looked: func() {
		looked <- struct{}{}
		if w.Kind() != dialect.KindSQLite { // which lets the second in when the first is done
			<-bothLooked
		}
	}}
	type result struct {
		mine bool
		err  error
	}
	results := make(chan result, 2)
	for _, owner := range []string{"A", "B"} {
		go func() {
			mine, err := claim.Claim(t.Context(), "x", owner)
			results <- result{mine, err}
		}()
	}
	if w.Kind() != dialect.KindSQLite {
		<-looked
		<-looked
	}
	close(bothLooked)
	first, second := <-results, <-results
	if first.mine == second.mine {
		t.Errorf("%+v and %+v; want exactly one to have the row", first, second)
	}
	want := map[dialect.Kind]dialect.Class{
		dialect.KindMySQL: dialect.Retry, dialect.KindPostgres: dialect.Duplicate,
		dialect.KindSQLite: dialect.Unknown, // no error: it locks the whole database
	}[w.Kind()]
	failed := errors.Join(first.err, second.err)
	if got := w.Dialect.Class(failed); got != want || (failed == nil) != (w.Kind() == dialect.KindSQLite) {
		t.Errorf("the loser was told %v, of class %v; the mistake shows as class %v", failed, got, want)
	}
}

func oneAnswer(t *testing.T, w *world) {
	stock, err := rowlock.NewStock(w.rows, "one_answer")
	if err != nil {
		t.Fatal(err)
	}
	if err := stock.CreateSchema(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := stock.Put(t.Context(), "mug", 1); err != nil {
		t.Fatal(err)
	}
	shop := antipattern.OneAnswer{Stock: stock}
	err = w.rows.InTx(t.Context(), rowlock.Wait{}, func(ctx context.Context, tx *rowlock.Tx) error {
		if _, err := tx.Exec(ctx, "UPDATE one_answer SET quantity = quantity"); err != nil {
			return err
		}
		if shop.Deduct(t.Context(), "mug", 1) {
			t.Error("the row is locked, and yet the mug was sold")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if !shop.Deduct(t.Context(), "mug", 1) {
		t.Error("the mug is there and the row is free, and yet it was not sold")
	}
	if shop.Deduct(t.Context(), "mug", 1) {
		t.Error("a mug was sold that is not there")
	}
}

func callOrder(t *testing.T, w *world) {
	w.Exec(t, "CREATE TABLE call_order (item VARCHAR(99) NOT NULL PRIMARY KEY, quantity BIGINT NOT NULL)")
	for _, item := range []string{"a", "b"} {
		w.Exec(t, "INSERT INTO call_order VALUES (?, 10)", item)
	}
	locked, bothLocked := make(chan struct{}, 2), make(chan struct{})
	stock := antipattern.CallOrder{DB: w.rows, Table: "call_order", First: func() {
		locked <- struct{}{}
		if w.Kind() != dialect.KindSQLite {
			<-bothLocked
		}
	}}
	results := make(chan error, 2)
	for _, way := range [][2]string{{"a", "b"}, {"b", "a"}} {
		go func() { results <- stock.Move(t.Context(), way[0], way[1], 1) }()
	}
	if w.Kind() != dialect.KindSQLite {
		<-locked
		<-locked
	}
	close(bothLocked)
	failed := errors.Join(<-results, <-results)
	if w.Kind() == dialect.KindSQLite {
		if failed != nil {
			t.Errorf("on SQLite one waits for the other: %v", failed)
		}
		return
	}
	if w.Dialect.Class(failed) != dialect.Retry {
		t.Errorf("the moves returned %v; the mistake makes one the victim of a deadlock", failed)
	}
}
