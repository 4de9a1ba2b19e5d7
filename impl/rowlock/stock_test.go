package rowlock_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/lockstep-sim/lockstep/impl/rowlock"
)

var stockTests = suite{
	"no more is sold than there is":         soldOut,
	"no more is sold without a lock either": soldOutInOne,
	"busy is told apart from sold out":      busyOrSoldOut,
	"an unknown item is told apart":         unknownItem,
	"moves in opposite directions add up":   movesAddUp,
	"a move of too much moves nothing":      moveTooMuch,
}

const item = "blue mug"

func (w *world) stock(t testing.TB, quantity int64) *rowlock.Stock {
	t.Helper()
	s, err := rowlock.NewStock(w.rows, w.table("stock"))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.CreateSchema(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.put(t, s, item, quantity)
	return s
}

func (w *world) put(t testing.TB, s *rowlock.Stock, item string, quantity int64) {
	t.Helper()
	if err := s.Put(t.Context(), item, quantity); err != nil {
		t.Fatal(err)
	}
}

func (w *world) left(t testing.TB, item string) (quantity int64) {
	t.Helper()
	w.Scan(t, "SELECT quantity FROM "+w.table("stock")+" WHERE item = ?", []any{item}, &quantity)
	return quantity
}

// sell lets four customers try to buy 12 of 10, and counts the sales.
func sell(t *testing.T, deduct func(context.Context) error) (sold, refused int64) {
	var s, r atomic.Int64
	var customers sync.WaitGroup
	for range 4 {
		customers.Go(func() {
			for range 3 {
				switch err := deduct(t.Context()); {
				case err == nil:
					s.Add(1)
				case errors.Is(err, rowlock.ErrSoldOut):
					r.Add(1)
				default:
					t.Error(err)
				}
			}
		})
	}
	customers.Wait()
	return s.Load(), r.Load()
}

func soldOut(t *testing.T, w *world) {
	s := w.stock(t, 10)
	sold, refused := sell(t, func(ctx context.Context) error {
		_, err := s.Deduct(ctx, item, 1, rowlock.Wait{})
		return err
	})
	if left := w.left(t, item); sold != 10 || refused != 2 || left != 0 {
		t.Errorf("sold %d, refused %d, left %d; want 10, 2, 0", sold, refused, left)
	}
}

func soldOutInOne(t *testing.T, w *world) {
	s := w.stock(t, 10)
	sold, refused := sell(t, func(ctx context.Context) error { return s.DeductInOne(ctx, item, 1) })
	if left := w.left(t, item); sold != 10 || refused != 2 || left != 0 {
		t.Errorf("sold %d, refused %d, left %d; want 10, 2, 0", sold, refused, left)
	}
}

func busyOrSoldOut(t *testing.T, w *world) {
	s := w.stock(t, 1)
	err := w.rows.InTx(t.Context(), rowlock.Wait{}, func(ctx context.Context, tx *rowlock.Tx) error {
		var quantity int64
		query := "SELECT quantity FROM " + w.table("stock") + " WHERE item = ? {lock}"
		if err := tx.One(ctx, query, []any{item}, &quantity); err != nil {
			return err
		}
		_, err := s.Deduct(ctx, item, 1, rowlock.NoWait())
		wantErr(t, "Deduct of a locked row", err, rowlock.ErrBusy)
		wantNot(t, "Deduct of a locked row", err, rowlock.ErrSoldOut)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if left, err := s.Deduct(t.Context(), item, 1, rowlock.NoWait()); err != nil || left != 0 {
		t.Errorf("Deduct = %d, %v; want 0 left", left, err)
	}
	_, err = s.Deduct(t.Context(), item, 1, rowlock.NoWait())
	wantErr(t, "Deduct of the last but one", err, rowlock.ErrSoldOut)
	wantNot(t, "Deduct of the last but one", err, rowlock.ErrBusy)
}

func unknownItem(t *testing.T, w *world) {
	_, err := w.stock(t, 1).Deduct(t.Context(), "red mug", 1, rowlock.Wait{})
	wantErr(t, "Deduct", err, rowlock.ErrNoRow)
}

func movesAddUp(t *testing.T, w *world) {
	s := w.stock(t, 50)
	w.put(t, s, "red mug", 50)
	var movers sync.WaitGroup
	for _, way := range [][2]string{{item, "red mug"}, {"red mug", item}} {
		movers.Go(func() {
			for range 10 {
				if err := s.Move(t.Context(), way[0], way[1], 1, rowlock.Wait{}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	movers.Wait()
	if a, b := w.left(t, item), w.left(t, "red mug"); a != 50 || b != 50 {
		t.Errorf("%d and %d left, want 50 each", a, b)
	}
}

func moveTooMuch(t *testing.T, w *world) {
	s := w.stock(t, 5)
	w.put(t, s, "red mug", 0)
	wantErr(t, "Move", s.Move(t.Context(), item, "red mug", 6, rowlock.Wait{}), rowlock.ErrSoldOut)
	if a, b := w.left(t, item), w.left(t, "red mug"); a != 5 || b != 0 {
		t.Errorf("%d and %d left, want 5 and 0", a, b)
	}
}
