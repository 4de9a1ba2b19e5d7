package sqlfencing_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"

	"github.com/lockstep-sim/lockstep/impl/fencing"
	"github.com/lockstep-sim/lockstep/impl/fencing/sqlfencing"
	"github.com/lockstep-sim/lockstep/impl/internal/sqltest"
	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/rowlock"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// world is one database with tables that no other test uses.
type world struct {
	sqltest.Backend
	rows *rowlock.DB
	id   int64
}

var worlds atomic.Int64

func (w *world) table(what string) string { return fmt.Sprintf("%s_%d", what, w.id) }

func TestEachDatabase(t *testing.T) {
	sqltest.Each(t, func(t *testing.T, b sqltest.Backend) {
		rows, err := rowlock.New(b.DB, rowlock.Config{Dialect: b.Dialect})
		if err != nil {
			t.Fatal(err)
		}
		for name, test := range map[string]func(*testing.T, *world){
			"a write needs a token not smaller than any seen": tokens,
			"a write is one statement":                        oneStatement,
			"the largest token wins, whatever the order":      largestTokenWins,
			"a write of what is there already is accepted":    sameAgain,
			"a missing row is not a stale token":              missingRow,
			"a fence in a transaction":                        fenceInTransaction,
			"a unique index lets one row in":                  insertOnce,
			"a refused row does not end the transaction":      insertOnceInTransaction,
			"a request is carried out once":                   requestOnce,
			"a request that failed may be sent again":         requestFails,
			"a request that comes twice at a time":            requestAtATime,
		} {
			t.Run(name, func(t *testing.T) { test(t, &world{b, rows, worlds.Add(1)}) })
		}
	})
}

func wantErr(t *testing.T, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: got %v, want %v", what, err, want)
	}
}

func (w *world) resource(t *testing.T) *sqlfencing.Resource {
	t.Helper()
	r := sqlfencing.NewResource(w.rows, w.table("resource"))
	if err := r.CreateSchema(t.Context()); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second one changes nothing
		if err := r.Create(t.Context(), "x", 10); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

func wantValue(t *testing.T, r *sqlfencing.Resource, value int64, seen lock.Token) {
	t.Helper()
	gotValue, err := r.Read(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	gotSeen, err := r.Seen(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	if gotValue != value || gotSeen != seen {
		t.Errorf("value %d, seen %d; want %d, %d", gotValue, gotSeen, value, seen)
	}
}

func tokens(t *testing.T, w *world) {
	r := w.resource(t)
	wantValue(t, r, 10, 0)
	for _, step := range []struct {
		token lock.Token
		value int64
		stale bool
	}{{33, 1, false}, {33, 2, false}, {34, 3, false}, {33, 4, true}, {35, 5, false}, {34, 6, true}} {
		err := r.Write(t.Context(), "x", step.value, step.token)
		if errors.Is(err, fencing.ErrStale) != step.stale || (err != nil) != step.stale {
			t.Errorf("Write with token %d: %v, want stale %v", step.token, err, step.stale)
		}
	}
	wantValue(t, r, 5, 35)
	if err := r.Add(t.Context(), "x", 7, 35); err != nil {
		t.Error(err)
	}
	err := r.Add(t.Context(), "x", 7, 34)
	var stale *fencing.StaleError
	if !errors.As(err, &stale) || stale.Token != 34 || stale.Seen != 35 {
		t.Errorf("Add with a stale token = %v, want a StaleError with 34 after 35", err)
	}
	wantValue(t, r, 12, 35)
}

func oneStatement(t *testing.T, w *world) {
	r := w.resource(t)
	if err := r.Write(t.Context(), "x", 1, 1); err != nil { // pgx prepares it once
		t.Fatal(err)
	}
	w.Tap.Requests()
	if err := r.Write(t.Context(), "x", 2, 2); err != nil {
		t.Fatal(err)
	}
	if sent := w.Tap.Requests(); len(sent) != 1 {
		t.Errorf("%d requests: %q", len(sent), sent)
	}
}

func largestTokenWins(t *testing.T, w *world) {
	r := w.resource(t)
	var writers sync.WaitGroup
	for token := lock.Token(1); token <= 8; token++ {
		writers.Go(func() {
			err := r.Write(t.Context(), "x", int64(token), token)
			if err != nil && !errors.Is(err, fencing.ErrStale) {
				t.Error(err)
			}
		})
	}
	writers.Wait()
	wantValue(t, r, 8, 8)
}

func sameAgain(t *testing.T, w *world) {
	r := w.resource(t)
	for range 2 {
		if err := r.Write(t.Context(), "x", 1, 1); err != nil {
			t.Error(err)
		}
	}
	wantValue(t, r, 1, 1)
}

func missingRow(t *testing.T, w *world) {
	r := w.resource(t)
	err := r.Write(t.Context(), "y", 1, 1)
	wantErr(t, "Write", err, sqlfencing.ErrNoRow)
	if errors.Is(err, fencing.ErrStale) {
		t.Errorf("Write = %v, which must not be stale", err)
	}
	_, err = r.Read(t.Context(), "y")
	wantErr(t, "Read", err, sqlfencing.ErrNoRow)
}

func fenceInTransaction(t *testing.T, w *world) {
	r := w.resource(t)
	fence := sqlfencing.Fence{Table: w.table("resource"), Key: "name", Token: "token"}
	change := func(token lock.Token) error {
		return w.rows.InTx(t.Context(), rowlock.Wait{}, func(ctx context.Context, tx *rowlock.Tx) error {
			if err := fence.Update(ctx, tx, "x", token, "value = value * ?", 2); err != nil {
				return err
			}
			return fence.Update(ctx, tx, "x", token, "value = value + ?", 1)
		})
	}
	if err := change(2); err != nil {
		t.Fatal(err)
	}
	wantErr(t, "the stale transaction", change(1), fencing.ErrStale)
	wantValue(t, r, 21, 2)
}

func (w *world) likes(t *testing.T) (insert string) {
	t.Helper()
	name := w.table("likes")
	w.Exec(t, "CREATE TABLE "+name+" (post INTEGER NOT NULL, user_id INTEGER NOT NULL, UNIQUE (post, user_id))")
	return "INSERT INTO " + name + " (post, user_id) VALUES (?, ?)"
}

func insertOnce(t *testing.T, w *world) {
	insert := w.likes(t)
	var inserted atomic.Int64
	var users sync.WaitGroup
	for range 6 { // one user, six clicks
		users.Go(func() {
			first, err := sqlfencing.InsertOnce(t.Context(), w.rows, insert, 1, 7)
			if err != nil {
				t.Error(err)
			}
			if first {
				inserted.Add(1)
			}
		})
	}
	users.Wait()
	if n := inserted.Load(); n != 1 {
		t.Errorf("%d of them were told that the row is theirs, want 1", n)
	}
	if _, err := sqlfencing.InsertOnce(t.Context(), w.rows, "INSERT INTO no_such_table (a) VALUES (?)", 1); err == nil {
		t.Error("an insert into a missing table reported no error")
	}
}

func insertOnceInTransaction(t *testing.T, w *world) {
	insert := w.likes(t)
	err := w.rows.InTx(t.Context(), rowlock.Wait{}, func(ctx context.Context, tx *rowlock.Tx) error {
		for i, want := range []bool{true, false, false} {
			inserted, err := sqlfencing.InsertOnce(ctx, tx, insert, 1, 7)
			if err != nil {
				return err
			}
			if inserted != want {
				t.Errorf("insert %d: %v, want %v", i, inserted, want)
			}
		}
		_, err := sqlfencing.InsertOnce(ctx, tx, insert, 1, 8)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	var rows int
	if w.Scan(t, "SELECT COUNT(*) FROM "+w.table("likes"), nil, &rows); rows != 2 {
		t.Errorf("%d rows, want 2", rows)
	}
}

// transfers is work that counts how often it is committed.
func (w *world) transfers(t *testing.T) (i *sqlfencing.Idempotency, work func(context.Context, *rowlock.Tx) (string, error), count func() int) {
	t.Helper()
	i = sqlfencing.NewIdempotency(w.rows, w.table("requests"))
	if err := i.CreateSchema(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.Exec(t, "CREATE TABLE "+w.table("transfers")+" (n INTEGER NOT NULL)")
	work = func(ctx context.Context, tx *rowlock.Tx) (string, error) {
		_, err := tx.Exec(ctx, "INSERT INTO "+w.table("transfers")+" VALUES (1)")
		return "receipt 17", err
	}
	count = func() (n int) {
		w.Scan(t, "SELECT COUNT(*) FROM "+w.table("transfers"), nil, &n)
		return n
	}
	return i, work, count
}

func requestOnce(t *testing.T, w *world) {
	i, work, count := w.transfers(t)
	for _, want := range []bool{false, true, true} {
		result, replayed, err := i.Do(t.Context(), "request 1", work)
		if err != nil || result != "receipt 17" || replayed != want {
			t.Errorf("Do = %q, %v, %v; want receipt 17, %v", result, replayed, err, want)
		}
	}
	if _, replayed, err := i.Do(t.Context(), "request 2", work); replayed || err != nil {
		t.Errorf("another request: replayed %v, %v", replayed, err)
	}
	if n := count(); n != 2 {
		t.Errorf("%d transfers, want 2", n)
	}
}

func requestFails(t *testing.T, w *world) {
	i, work, count := w.transfers(t)
	errPoor := errors.New("not enough money")
	_, _, err := i.Do(t.Context(), "request 1", func(ctx context.Context, tx *rowlock.Tx) (string, error) {
		if _, err := work(ctx, tx); err != nil {
			return "", err
		}
		return "", errPoor
	})
	wantErr(t, "Do", err, errPoor)
	if n := count(); n != 0 {
		t.Errorf("%d transfers, want none", n)
	}
	if _, replayed, err := i.Do(t.Context(), "request 1", work); replayed || err != nil {
		t.Errorf("the repetition: replayed %v, %v", replayed, err)
	}
	if n := count(); n != 1 {
		t.Errorf("%d transfers, want 1", n)
	}
}

func requestAtATime(t *testing.T, w *world) {
	i, work, count := w.transfers(t)
	var clients sync.WaitGroup
	var first atomic.Int64
	for range 5 {
		clients.Go(func() {
			result, replayed, err := i.Do(t.Context(), "request 1", work)
			if err != nil || result != "receipt 17" {
				t.Errorf("Do = %q, %v", result, err)
			}
			if !replayed {
				first.Add(1)
			}
		})
	}
	clients.Wait()
	if n := count(); n != 1 || first.Load() != 1 {
		t.Errorf("%d transfers, %d calls were the first; want 1 and 1", n, first.Load())
	}
}
