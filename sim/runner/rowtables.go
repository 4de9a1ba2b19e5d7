package runner

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/lockstep-sim/lockstep/impl/rowlock"
	"github.com/lockstep-sim/lockstep/sim/store/resource"
)

// prepare makes the tables that the run uses, and the rows that are there
// beforehand.
func (b *rowBackend) prepare() error {
	db := b.open(b.x.k.NewProcess("setup"), nil)
	defer db.Close() //nolint:errcheck // an in-memory connection: nothing can fail
	rows, err := rowlock.New(db, rowlock.Config{Dialect: dialects[b.x.store]})
	if err != nil {
		return err
	}
	return errors.Join(b.prepareLocks(db), b.prepareStock(rows), b.prepareCoupons(rows), b.prepareClaims())
}

// prepareLocks makes the rows of the locks, as a service does when it is
// installed.
func (b *rowBackend) prepareLocks(db *sql.DB) error {
	if !b.locks() {
		return nil
	}
	m, err := b.mutex(db, nil)
	if err != nil {
		return err
	}
	if err := m.CreateSchema(background); err != nil {
		return err
	}
	for _, key := range b.x.lockKeys() {
		if err := b.engine.Run(fmt.Sprintf("INSERT INTO %s (name) VALUES (%s)", rowTable, quoted(key))); err != nil {
			return err
		}
	}
	return nil
}

// prepareStock makes the table of the stock, with its primary key or without any
// index.
func (b *rowBackend) prepareStock(rows *rowlock.DB) error {
	if b.x.ownResources() || len(b.x.sc.Resources) == 0 {
		return nil
	}
	stock, err := rowlock.NewStock(rows, stockTable)
	if err != nil {
		return err
	}
	if b.x.params["index"] == "off" {
		err = b.engine.Run("CREATE TABLE " + stockTable + " (item TEXT NOT NULL, quantity BIGINT NOT NULL)")
	} else {
		err = stock.CreateSchema(background)
	}
	for _, r := range b.x.sc.Resources {
		if err == nil {
			err = b.engine.Run(fmt.Sprintf("INSERT INTO %s (item, quantity) VALUES (%s, %d)", stockTable, quoted(r.Name.Text), b.x.integer(r.Initial)))
		}
	}
	return err
}

func (b *rowBackend) prepareCoupons(rows *rowlock.DB) error {
	n := b.x.number("coupons")
	if n == 0 {
		return nil
	}
	q, err := rowlock.NewQueue(rows, couponTable)
	if err == nil {
		err = q.CreateSchema(background)
	}
	for i := int64(1); i <= n && err == nil; i++ {
		err = q.Put(background, fmt.Sprintf("coupon-%d", i))
	}
	return err
}

func (b *rowBackend) prepareClaims() error {
	if !b.x.uses("claim") {
		return nil
	}
	return b.engine.Run("CREATE TABLE " + claimTable + " (name VARCHAR(99) NOT NULL PRIMARY KEY, owner VARCHAR(99) NOT NULL)")
}

// stockRow is a resource that is a row of the stock.
type stockRow struct {
	rows *rowlock.DB
	item string
}

func (b *rowBackend) register(c *client, name string) (register, error) {
	if r := b.x.params["resource"]; r != "stock" {
		return nil, fmt.Errorf("resource=%s: a store with row locks keeps its resources with resource=stock", r)
	}
	rows, err := b.rows(c, 0)
	return &stockRow{rows, name}, err
}

// Read is a query without a lock.
func (r *stockRow) Read(ctx context.Context) (value int64, err error) {
	err = r.rows.One(ctx, "SELECT quantity FROM "+stockTable+" WHERE item = ?", []any{r.item}, &value)
	return value, err
}

func (r *stockRow) Write(ctx context.Context, value int64, _ resource.Writer) error {
	_, err := r.rows.Exec(ctx, "UPDATE "+stockTable+" SET quantity = ? WHERE item = ?", value, r.item)
	return err
}

// Add changes the row in one statement.
func (r *stockRow) Add(ctx context.Context, delta int64, _ resource.Writer) (int64, error) {
	_, err := r.rows.Exec(ctx, "UPDATE "+stockTable+" SET quantity = quantity + ? WHERE item = ?", delta, r.item)
	return 0, err
}
