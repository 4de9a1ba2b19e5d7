package rowlock_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/lockstep-sim/lockstep/impl/embedded/sqlite"
	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/rowlock"
)

func Example() {
	ctx := context.Background()
	db, err := sqlite.Open(ctx, sqlite.Config{}) // or a *sql.DB of PostgreSQL, MySQL or MariaDB
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	rows, err := rowlock.New(db.DB, rowlock.Config{Dialect: db.Dialect})
	if err != nil {
		log.Fatal(err)
	}
	stock, err := rowlock.NewStock(rows, "")
	if err != nil {
		log.Fatal(err)
	}
	if err := errors.Join(stock.CreateSchema(ctx), stock.Put(ctx, "blue mug", 1)); err != nil {
		log.Fatal(err)
	}

	for range 2 {
		left, err := stock.Deduct(ctx, "blue mug", 1, rowlock.NoWait())
		switch {
		case errors.Is(err, rowlock.ErrBusy):
			fmt.Println("busy: try again")
		case errors.Is(err, rowlock.ErrSoldOut):
			fmt.Println("sold out: do not")
		case err == nil:
			fmt.Println("sold,", left, "left")
		default:
			log.Fatal(err)
		}
	}

	// A transaction of one's own: {lock} is where its rows are locked.
	err = rows.InTx(ctx, rowlock.Wait{}, func(ctx context.Context, tx *rowlock.Tx) error {
		var quantity int64
		err := tx.One(ctx, "SELECT quantity FROM lockstep_stock WHERE item = ? {lock}", []any{"blue mug"}, &quantity)
		if err != nil || quantity > 0 {
			return err
		}
		_, err = tx.Exec(ctx, "UPDATE lockstep_stock SET quantity = ? WHERE item = ?", 20, "blue mug")
		return err
	})
	fmt.Println("stocked up:", err)
	// Output:
	// sold, 0 left
	// sold out: do not
	// stocked up: <nil>
}

func ExampleRecord() {
	ctx := context.Background()
	db, err := sqlite.Open(ctx, sqlite.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	record, err := rowlock.NewRecord(db.DB, rowlock.RecordConfig{Dialect: db.Dialect})
	if err != nil {
		log.Fatal(err)
	}
	if err := record.CreateSchema(ctx); err != nil {
		log.Fatal(err)
	}

	outer, err := record.Acquire(ctx, "order:42")
	if err != nil {
		log.Fatal(err)
	}
	// The owner of the lease, handed down, lets a callee in.
	inner, err := record.TryAcquire(ctx, "order:42", lock.WithOwner(outer.Owner()))
	if err != nil {
		log.Fatal(err)
	}
	_, err = record.TryAcquire(ctx, "order:42")
	fmt.Println("anybody else:", errors.Is(err, lock.ErrNotAcquired))
	fmt.Println(inner.Release(ctx), outer.Release(ctx))
	// Output:
	// anybody else: true
	// <nil> <nil>
}
