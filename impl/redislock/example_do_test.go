package redislock_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/lockstep-sim/lockstep/impl/embedded/redisd"
	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/redislock"
)

// The body of this example is the snippet of the README; a test compares them.
func Example_do() {
	server := redisd.InMemory()
	defer server.Close()
	rdb := server.Client() // a *redis.Client, as for any other server
	defer rdb.Close()

	locker, err := redislock.New(rdb, redislock.Config{TTL: 10 * time.Second, Fencing: true})
	if err != nil {
		log.Fatal(err)
	}
	err = lock.Do(context.Background(), locker, "lock:order:42", func(ctx context.Context) error {
		fmt.Println("shipping order 42") // your work; ctx ends when the lease does
		return ctx.Err()
	})
	fmt.Println("error:", err)
	// Output:
	// shipping order 42
	// error: <nil>
}
