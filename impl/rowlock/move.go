package rowlock

import (
	"context"
	"fmt"
)

// Move takes n, n > 0, from one item and gives them to another. Both rows are
// locked in the order of their names, whichever way the goods go: two moves in
// opposite directions then wait for each other once, instead of each holding
// what the other one needs. The errors are those of [Stock.Deduct].
func (s *Stock) Move(ctx context.Context, from, to string, n int64, w Wait) error {
	err := s.db.InTx(ctx, w, func(ctx context.Context, tx *Tx) error {
		left := map[string]int64{}
		for _, item := range []string{min(from, to), max(from, to)} {
			var quantity int64
			query := s.name("SELECT quantity FROM {table} WHERE item = ? {lock}")
			if err := tx.One(ctx, query, []any{item}, &quantity); err != nil {
				return err
			}
			left[item] = quantity
		}
		if left[from] < n {
			return ErrSoldOut
		}
		return s.transfer(ctx, tx, from, to, n)
	})
	return s.describe("move", fmt.Sprintf("%s → %s", from, to), err)
}

// transfer changes both rows, which the caller has locked.
func (s *Stock) transfer(ctx context.Context, tx *Tx, from, to string, n int64) error {
	add := s.name("UPDATE {table} SET quantity = quantity + ? WHERE item = ?")
	if _, err := tx.Exec(ctx, add, -n, from); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, add, n, to)
	return err
}
