package rowlock

import (
	"context"
	"errors"
	"fmt"

	"github.com/lockstep-sim/lockstep/impl/sqllock/dialect"
)

// ErrSoldOut: there is not enough left. Trying again makes no sense, unlike
// after [ErrBusy].
var ErrSoldOut = errors.New("sold out")

// Stock counts items, one row each: the example of a lock on the row that the
// business is about.
type Stock struct {
	db    *DB
	table string
}

// NewStock makes a stock in the given table; empty means "lockstep_stock".
func NewStock(db *DB, table string) (*Stock, error) {
	table, err := checkTable(table, "lockstep_stock")
	if err != nil {
		return nil, err
	}
	return &Stock{db, table}, nil
}

// CreateSchema creates the table where it is missing.
func (s *Stock) CreateSchema(ctx context.Context) error {
	return s.db.createSchema(ctx, map[string]string{"table": s.table}, `
CREATE TABLE IF NOT EXISTS {table} (
item {name} NOT NULL PRIMARY KEY,
quantity BIGINT NOT NULL CHECK (quantity >= 0)
)`)
}

// Put sets how many of the item there are.
func (s *Stock) Put(ctx context.Context, item string, quantity int64) error {
	upsert := "INSERT INTO {table} (item, quantity) VALUES (?, ?) ON CONFLICT (item) DO UPDATE SET quantity = ?"
	if s.db.cfg.Dialect.Kind() == dialect.KindMySQL {
		upsert = "INSERT INTO {table} (item, quantity) VALUES (?, ?) ON DUPLICATE KEY UPDATE quantity = ?"
	}
	_, err := s.db.Exec(ctx, s.name(upsert), item, quantity, quantity)
	return s.describe("put", item, err)
}

// Deduct takes n of the item, n > 0, with the row locked between the look at
// the quantity and the update, and returns what is left. It is for checks that
// are more than a comparison; where it is one, [Stock.DeductInOne] does without
// a lock. What the errors mean is told apart: [ErrSoldOut], [ErrBusy] or
// [ErrWaitTimeout] depending on w, [ErrNoRow].
func (s *Stock) Deduct(ctx context.Context, item string, n int64, w Wait) (left int64, err error) {
	err = s.db.InTx(ctx, w, func(ctx context.Context, tx *Tx) error {
		err := tx.One(ctx, s.name("SELECT quantity FROM {table} WHERE item = ? {lock}"), []any{item}, &left)
		if err != nil {
			return err
		}
		if left < n {
			return ErrSoldOut
		}
		left -= n
		_, err = tx.Exec(ctx, s.name("UPDATE {table} SET quantity = ? WHERE item = ?"), left, item)
		return err
	})
	return left, s.describe("deduct", item, err)
}

// DeductInOne takes n of the item, n > 0, in one statement whose condition is
// the check: no lock is held between two requests, and none could be lost. It
// returns [ErrSoldOut] also for an item that does not exist.
func (s *Stock) DeductInOne(ctx context.Context, item string, n int64) error {
	changed, err := s.db.Exec(ctx,
		s.name("UPDATE {table} SET quantity = quantity - ? WHERE item = ? AND quantity >= ?"), n, item, n)
	if err == nil && changed == 0 {
		err = ErrSoldOut
	}
	return s.describe("deduct", item, err)
}

func (s *Stock) name(statement string) string { return inTable(s.table, statement) }

func (s *Stock) describe(verb, item string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("rowlock: %s %q: %w", verb, item, err)
}
