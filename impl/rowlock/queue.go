package rowlock

import (
	"context"
	"fmt"
	"strings"

	"github.com/lockstep-sim/lockstep/impl/sqllock/dialect"
)

// Queue hands out things that are all alike, such as coupons or jobs, one row
// each: the example of SKIP LOCKED. Every worker takes other rows than those
// that are being taken at the same time, and waits for nobody.
type Queue struct {
	db    *DB
	table string
}

// Coupon is a row of a [Queue].
type Coupon struct {
	ID   int64
	Code string
}

// NewQueue makes a queue in the given table; empty means "lockstep_coupons".
func NewQueue(db *DB, table string) (*Queue, error) {
	table, err := checkTable(table, "lockstep_coupons")
	if err != nil {
		return nil, err
	}
	return &Queue{db, table}, nil
}

var queueSchema = map[dialect.Kind]string{
	dialect.KindSQLite: `
CREATE TABLE IF NOT EXISTS {table} (
id INTEGER NOT NULL PRIMARY KEY,
code TEXT NOT NULL,
taken_by TEXT NOT NULL DEFAULT ''
)`,
	dialect.KindPostgres: `
CREATE TABLE IF NOT EXISTS {table} (
id BIGINT NOT NULL PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
code TEXT NOT NULL,
taken_by TEXT NOT NULL DEFAULT ''
)`,
	// The index keeps the search from locking what has been taken.
	dialect.KindMySQL: `
CREATE TABLE IF NOT EXISTS {table} (
id BIGINT NOT NULL PRIMARY KEY AUTO_INCREMENT,
code {name} NOT NULL,
taken_by {name} NOT NULL DEFAULT '',
KEY free_ones (taken_by, id)
) ENGINE = InnoDB`,
}

// CreateSchema creates the table where it is missing.
func (q *Queue) CreateSchema(ctx context.Context) error {
	return q.db.createSchema(ctx, map[string]string{"table": q.table}, queueSchema[q.db.cfg.Dialect.Kind()])
}

// Put adds a coupon.
func (q *Queue) Put(ctx context.Context, code string) error {
	_, err := q.db.Exec(ctx, inTable(q.table, "INSERT INTO {table} (code) VALUES (?)"), code)
	if err != nil {
		return fmt.Errorf("rowlock: put coupon: %w", err)
	}
	return nil
}

// Take gives up to n coupons to the worker, the oldest that nobody else is
// taking at this moment. None is given twice; fewer than n, or none, means that
// no others could be had, though one may come back when another transaction
// fails. With another w than [SkipLocked] all workers queue for the same first
// row.
func (q *Queue) Take(ctx context.Context, worker string, n int, w Wait) (taken []Coupon, err error) {
	err = q.db.InTx(ctx, w, func(ctx context.Context, tx *Tx) error {
		taken = nil // the transaction may be run again
		if err := q.lock(ctx, tx, n, &taken); err != nil || len(taken) == 0 {
			return err
		}
		args := []any{worker}
		for _, c := range taken {
			args = append(args, c.ID)
		}
		marks := strings.Repeat(", ?", len(taken))[2:]
		_, err := tx.Exec(ctx, inTable(q.table, "UPDATE {table} SET taken_by = ? WHERE id IN ("+marks+")"), args...)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("rowlock: take coupons: %w", err)
	}
	return taken, nil
}

// lock locks up to n free rows.
func (q *Queue) lock(ctx context.Context, tx *Tx, n int, free *[]Coupon) error {
	query := inTable(q.table, "SELECT id, code FROM {table} WHERE taken_by = '' ORDER BY id LIMIT ? {lock}")
	return tx.Each(ctx, query, []any{n}, func(scan func(...any) error) error {
		var c Coupon
		err := scan(&c.ID, &c.Code)
		*free = append(*free, c)
		return err
	})
}
