package sqllock_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/lockstep-sim/lockstep/impl/sqllock"
)

var versionTests = suite{
	"of two who read the same version one writes":  oneWriterPerVersion,
	"a change begins again when it was beaten":     changeRetries,
	"a change gives up after its tries":            changeGivesUp,
	"the error of the computation ends the change": changeFails,
	"changes add up":                     changesAddUp,
	"an absent row is said to be absent": absentRow,
}

func (w *world) accounts(t *testing.T) sqllock.Versioned[int64] {
	t.Helper()
	name := w.table + "_accounts"
	w.Exec(t, "CREATE TABLE "+name+" (id INTEGER NOT NULL PRIMARY KEY, balance BIGINT NOT NULL, version BIGINT NOT NULL)")
	w.Exec(t, "INSERT INTO "+name+" VALUES (1, 100, 1)")
	return sqllock.Versioned[int64]{
		DB: w.DB, Dialect: w.Dialect, Table: name, Key: "id", Value: "balance", Version: "version", Tries: 100,
	}
}

func wantBalance(t *testing.T, accounts sqllock.Versioned[int64], want int64) {
	t.Helper()
	if got, _, err := accounts.Read(t.Context(), 1); err != nil || got != want {
		t.Errorf("balance %d, %v; want %d", got, err, want)
	}
}

func oneWriterPerVersion(t *testing.T, w *world) {
	accounts := w.accounts(t)
	_, version, err := accounts.Read(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := accounts.Write(t.Context(), 1, 70, version); err != nil {
		t.Fatal(err)
	}
	wantErr(t, "the second write", accounts.Write(t.Context(), 1, 120, version), sqllock.ErrConflict)
	wantBalance(t, accounts, 70)
	// Writing what stands there already is a write, too.
	if err := accounts.Write(t.Context(), 1, 70, version+1); err != nil {
		t.Error(err)
	}
}

func add(n int64) func(int64) (int64, error) {
	return func(balance int64) (int64, error) { return balance + n, nil }
}

func changeRetries(t *testing.T, w *world) {
	accounts := w.accounts(t)
	w.Tap.On("UPDATE", func(ctx context.Context, send func() error) error {
		if err := accounts.Change(ctx, 1, add(5)); err != nil {
			t.Error(err)
		}
		return send()
	})
	if err := accounts.Change(t.Context(), 1, add(10)); err != nil {
		t.Fatal(err)
	}
	wantBalance(t, accounts, 115)
}

func changeGivesUp(t *testing.T, w *world) {
	accounts := w.accounts(t)
	accounts.Tries = 2
	for range accounts.Tries {
		w.Tap.On("balance = ", func(_ context.Context, send func() error) error {
			w.Exec(t, "UPDATE "+accounts.Table+" SET version = version + 1")
			return send()
		})
	}
	wantErr(t, "Change", accounts.Change(t.Context(), 1, add(1)), sqllock.ErrConflict)
	wantBalance(t, accounts, 100)
}

func changeFails(t *testing.T, w *world) {
	accounts := w.accounts(t)
	errPoor := errors.New("not enough money")
	err := accounts.Change(t.Context(), 1, func(int64) (int64, error) { return 0, errPoor })
	wantErr(t, "Change", err, errPoor)
	wantBalance(t, accounts, 100)
}

func changesAddUp(t *testing.T, w *world) {
	accounts := w.accounts(t)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 5 {
				if err := accounts.Change(t.Context(), 1, add(1)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	wantBalance(t, accounts, 120)
}

func absentRow(t *testing.T, w *world) {
	accounts := w.accounts(t)
	_, _, err := accounts.Read(t.Context(), 2)
	wantErr(t, "Read", err, sqllock.ErrNoRow)
	wantErr(t, "Write", accounts.Write(t.Context(), 2, 1, 1), sqllock.ErrConflict)
}
