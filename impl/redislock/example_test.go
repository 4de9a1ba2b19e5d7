package redislock_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/lockstep-sim/lockstep/impl/embedded/redisd"
	"github.com/lockstep-sim/lockstep/impl/redislock"
)

func Example() {
	server := redisd.InMemory() // or any Redis
	defer server.Close()
	rdb := server.Client()
	defer rdb.Close()

	locker, err := redislock.New(rdb, redislock.Config{TTL: 10 * time.Second, Fencing: true})
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	lease, err := locker.Acquire(ctx, "order:1")
	if err != nil {
		log.Fatal(err)
	}
	token, _ := lease.Token()
	fmt.Println("token", token)

	// Work, pass the token along with every write, and stop when lease.Done()
	// is closed.

	if err := lease.Release(ctx); err != nil {
		log.Fatal(err) // lock.ErrNotHeld: the lease ended before the work did
	}
	// Output: token 1
}
