package antipattern

import (
	"context"

	"github.com/lockstep-sim/lockstep/impl/rowlock"
)

// OneAnswer tells the caller only whether it got the goods. "Busy", which is
// worth another try at once, and "sold out", which never is, look the same: the
// caller either gives up while there is stock, or goes on asking for what is
// gone.
type OneAnswer struct{ Stock *rowlock.Stock }

// Deduct takes n of the item if it can.
func (o OneAnswer) Deduct(ctx context.Context, item string, n int64) bool {
	_, err := o.Stock.Deduct(ctx, item, n, rowlock.NoWait())
	return err == nil
}

// CallOrder locks two rows in the order in which the caller names them. Two
// moves in opposite directions each hold the row that the other one needs, and
// the database has to undo one of them.
type CallOrder struct {
	DB *rowlock.DB
	// Table has the columns "item" and "quantity".
	Table string
	// First, if any, is called after the first row has been locked.
	First func()
}

// Move takes n from one item and gives them to another.
func (c CallOrder) Move(ctx context.Context, from, to string, n int64) error {
	return c.DB.InTx(ctx, rowlock.Wait{}, func(ctx context.Context, tx *rowlock.Tx) error {
		add := "UPDATE " + c.Table + " SET quantity = quantity + ? WHERE item = ?"
		if _, err := tx.Exec(ctx, add, -n, from); err != nil {
			return err
		}
		if c.First != nil {
			c.First()
		}
		_, err := tx.Exec(ctx, add, n, to)
		return err
	})
}
