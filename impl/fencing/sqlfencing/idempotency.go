package sqlfencing

import (
	"context"
	"fmt"

	"github.com/lockstep-sim/lockstep/impl/rowlock"
)

// Idempotency carries out a request once, however often it is sent: the key of
// the request and the effect of the work are committed together, in one
// transaction, with what the work returned.
type Idempotency struct {
	db    *rowlock.DB
	table string
}

// NewIdempotency makes one with its keys in the given table, which is the
// caller's to name and must not come from outside.
func NewIdempotency(db *rowlock.DB, table string) *Idempotency {
	return &Idempotency{db, table}
}

// CreateSchema creates the table where it is missing.
func (i *Idempotency) CreateSchema(ctx context.Context) error {
	text := nameType(i.db)
	return createTable(ctx, i.db, "CREATE TABLE IF NOT EXISTS "+i.table+" ("+
		"request "+text+" NOT NULL PRIMARY KEY, result "+text+" NOT NULL)")
}

// Do runs work in a transaction, unless it was run under this key before; then
// it returns what work returned that time, and replayed is true. A second call
// that comes while the first one is under way waits for its end.
//
// The key stands for the request, not for the client or the time: whoever
// repeats the request must send the same one. Both it and the result have at
// most 255 bytes. When work fails, everything is undone, and the key is free
// again. Work must do what it does through tx: what it does elsewhere is done
// again with every try.
func (i *Idempotency) Do(
	ctx context.Context, key string, work func(ctx context.Context, tx *rowlock.Tx) (result string, err error),
) (result string, replayed bool, err error) {
	err = i.db.InTx(ctx, rowlock.Wait{}, func(ctx context.Context, tx *rowlock.Tx) (err error) {
		first, err := InsertOnce(ctx, tx, "INSERT INTO "+i.table+" (request, result) VALUES (?, '')", key)
		if err != nil {
			return err
		}
		if replayed = !first; replayed {
			return tx.One(ctx, "SELECT result FROM "+i.table+" WHERE request = ?", []any{key}, &result)
		}
		if result, err = work(ctx, tx); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, "UPDATE "+i.table+" SET result = ? WHERE request = ?", result, key)
		return err
	})
	if err != nil {
		return "", false, fmt.Errorf("sqlfencing: request %q: %w", key, err)
	}
	return result, replayed, nil
}
