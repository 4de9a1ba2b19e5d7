package rowlock_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/lockstep-sim/lockstep/impl/rowlock"
)

var queueTests = suite{
	"no coupon is given twice":                        noneTwice,
	"the oldest come first, and no more than asked":   oldestFirst,
	"SKIP LOCKED passes over what is being taken":     passesOver,
	"what a failed transaction took can be had again": takenBack,
}

func (w *world) queue(t testing.TB, n int) *rowlock.Queue {
	t.Helper()
	q, err := rowlock.NewQueue(w.rows, w.table("coupons"))
	if err != nil {
		t.Fatal(err)
	}
	if err := q.CreateSchema(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i := range n {
		if err := q.Put(t.Context(), fmt.Sprint("C", i)); err != nil {
			t.Fatal(err)
		}
	}
	return q
}

func take(t testing.TB, q *rowlock.Queue, n int) (codes []string) {
	t.Helper()
	coupons, err := q.Take(t.Context(), "worker", n, rowlock.SkipLocked())
	if err != nil {
		t.Error(err)
	}
	for _, c := range coupons {
		codes = append(codes, c.Code)
	}
	return codes
}

func noneTwice(t *testing.T, w *world) {
	const workers, coupons = 4, 20
	q := w.queue(t, coupons)
	var mu sync.Mutex
	seen := map[string]int{}
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			for codes := take(t, q, 3); len(codes) > 0; codes = take(t, q, 3) {
				mu.Lock()
				for _, c := range codes {
					seen[c]++
				}
				mu.Unlock()
			}
		})
	}
	all.Wait()
	for c, n := range seen {
		if n != 1 {
			t.Errorf("%s was given %d times", c, n)
		}
	}
	// A worker may find all that is left being taken by others and stop; those
	// have then taken it.
	if len(seen) != coupons {
		t.Errorf("%d coupons given, want %d", len(seen), coupons)
	}
}

func oldestFirst(t *testing.T, w *world) {
	q := w.queue(t, 3)
	if got := fmt.Sprint(take(t, q, 2), take(t, q, 2), take(t, q, 2)); got != "[C0 C1] [C2] []" {
		t.Errorf("took %s, want [C0 C1] [C2] []", got)
	}
}

// whileTaken calls then while another transaction has the first coupon.
func (w *world) whileTaken(t *testing.T, then func()) {
	t.Helper()
	err := w.rows.InTx(t.Context(), rowlock.Wait{}, func(ctx context.Context, tx *rowlock.Tx) error {
		var id int64
		query := "SELECT id FROM " + w.table("coupons") + " WHERE taken_by = '' ORDER BY id LIMIT 1 {lock}"
		if err := tx.One(ctx, query, nil, &id); err != nil {
			return err
		}
		then()
		return errWork
	})
	wantErr(t, "InTx", err, errWork)
}

func passesOver(t *testing.T, w *world) {
	if w.coarse() {
		t.Skip("SQLite locks the whole database: there is nothing to pass over")
	}
	q := w.queue(t, 2)
	w.whileTaken(t, func() {
		coupons, err := q.Take(t.Context(), "worker", 1, rowlock.SkipLocked())
		if err != nil || len(coupons) != 1 || coupons[0].Code != "C1" {
			t.Errorf("Take = %v, %v; want C1", coupons, err)
		}
		_, err = q.Take(t.Context(), "worker", 1, rowlock.NoWait())
		wantErr(t, "Take without skipping", err, rowlock.ErrBusy)
	})
}

func takenBack(t *testing.T, w *world) {
	q := w.queue(t, 1)
	w.whileTaken(t, func() {})
	if got := fmt.Sprint(take(t, q, 1)); got != "[C0]" {
		t.Errorf("took %s, want [C0]", got)
	}
}
