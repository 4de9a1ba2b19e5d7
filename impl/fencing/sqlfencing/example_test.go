package sqlfencing_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/lockstep-sim/lockstep/impl/embedded/sqlite"
	"github.com/lockstep-sim/lockstep/impl/fencing"
	"github.com/lockstep-sim/lockstep/impl/fencing/sqlfencing"
	"github.com/lockstep-sim/lockstep/impl/rowlock"
)

func Example() {
	ctx := context.Background()
	db, err := sqlite.Open(ctx, sqlite.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	rows, err := rowlock.New(db.DB, rowlock.Config{Dialect: db.Dialect})
	if err != nil {
		log.Fatal(err)
	}
	reports := sqlfencing.NewResource(rows, "reports")
	if err := errors.Join(reports.CreateSchema(ctx), reports.Create(ctx, "daily", 0)); err != nil {
		log.Fatal(err)
	}

	// The tokens are those of the leases under which the writers work.
	fmt.Println(reports.Write(ctx, "daily", 100, 34))
	err = reports.Write(ctx, "daily", 99, 33) // from a holder that was paused
	fmt.Println(errors.Is(err, fencing.ErrStale), err)
	value, err := reports.Read(ctx, "daily")
	fmt.Println(value, err)
	// Output:
	// <nil>
	// true sqlfencing: update reports daily: write to "daily" refused: stale fencing token: 33 after 34
	// 100 <nil>
}

func ExampleIdempotency() {
	ctx := context.Background()
	db, err := sqlite.Open(ctx, sqlite.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	rows, err := rowlock.New(db.DB, rowlock.Config{Dialect: db.Dialect})
	if err != nil {
		log.Fatal(err)
	}
	requests := sqlfencing.NewIdempotency(rows, "requests")
	if err := requests.CreateSchema(ctx); err != nil {
		log.Fatal(err)
	}

	for range 2 {
		result, replayed, err := requests.Do(ctx, "transfer-8c51", func(context.Context, *rowlock.Tx) (string, error) {
			return "receipt 17", nil // and what the receipt is for, through the transaction
		})
		fmt.Println(result, replayed, err)
	}
	// Output:
	// receipt 17 false <nil>
	// receipt 17 true <nil>
}
