package sqllock_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/lockstep-sim/lockstep/impl/embedded/sqlite"
	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/sqllock"
)

func Example() {
	ctx := context.Background()
	db, err := sqlite.Open(ctx, sqlite.Config{}) // any *sql.DB with its dialect will do
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()

	mutex, err := sqllock.New(db.DB, sqllock.Config{Dialect: db.Dialect, TTL: 10 * time.Second})
	if err != nil {
		log.Fatal(err)
	}
	if err := mutex.CreateSchema(ctx); err != nil {
		log.Fatal(err)
	}

	// The context of the work ends with the lease, which is renewed meanwhile.
	err = lock.Do(ctx, mutex, "order:42", func(ctx context.Context) error {
		_, err := mutex.TryAcquire(ctx, "order:42")
		fmt.Println("another attempt:", err)
		return nil
	})
	fmt.Println("done:", err)

	lease, err := mutex.Acquire(ctx, "order:42")
	if err != nil {
		log.Fatal(err)
	}
	token, _ := lease.Token()
	fmt.Println("fencing token of the second grant:", token)
	fmt.Println("released:", lease.Release(ctx))
	// Output:
	// another attempt: sqllock: acquire "order:42": lock not acquired: another owner holds it
	// done: <nil>
	// fencing token of the second grant: 2
	// released: <nil>
}

func ExampleVersioned() {
	ctx := context.Background()
	db, err := sqlite.Open(ctx, sqlite.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	for _, statement := range []string{
		"CREATE TABLE accounts (id INTEGER PRIMARY KEY, balance INTEGER NOT NULL, version INTEGER NOT NULL)",
		"INSERT INTO accounts VALUES (7, 100, 1)",
	} {
		if _, err := db.ExecContext(ctx, statement); err != nil {
			log.Fatal(err)
		}
	}

	balance := sqllock.Versioned[int64]{
		DB: db.DB, Dialect: db.Dialect,
		Table: "accounts", Key: "id", Value: "balance", Version: "version",
	}
	value, version, err := balance.Read(ctx, 7)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("the first to write:", balance.Write(ctx, 7, value-30, version))
	fmt.Println("the second:", balance.Write(ctx, 7, value-50, version))
	fmt.Println("again from the start:", balance.Change(ctx, 7, func(v int64) (int64, error) { return v - 50, nil }))
	value, _, err = balance.Read(ctx, 7)
	fmt.Println(value, err)
	// Output:
	// the first to write: <nil>
	// the second: sqllock: write accounts 7: version conflict
	// again from the start: <nil>
	// 20 <nil>
}
