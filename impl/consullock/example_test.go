package consullock_test

import (
	"context"
	"fmt"
	"log"

	"github.com/hashicorp/consul/api"

	"github.com/lockstep-sim/lockstep/impl/consullock"
	"github.com/lockstep-sim/lockstep/impl/embedded/consul"
	"github.com/lockstep-sim/lockstep/impl/lock"
)

func Example() {
	// A Consul in the process; yours is at api.DefaultConfig().
	server, err := consul.Start(consul.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer server.Close()
	client, err := api.NewClient(&api.Config{Address: server.Addr()})
	if err != nil {
		log.Fatal(err)
	}

	locks, err := consullock.New(client, consullock.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer locks.Close()

	ctx := context.Background()
	err = lock.Do(ctx, locks, "order/1", func(ctx context.Context) error {
		// ctx ends when the lock is lost.
		fmt.Println("working on order 1")
		return ctx.Err()
	})
	fmt.Println("error:", err)
	// Output:
	// working on order 1
	// error: <nil>
}

func ExampleSemaphore() {
	server, err := consul.Start(consul.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer server.Close()
	client, err := server.Client()
	if err != nil {
		log.Fatal(err)
	}

	printers, err := consullock.NewSemaphore(client, 2, consullock.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer printers.Close()

	ctx := context.Background()
	for i := range 3 {
		_, err := printers.TryAcquire(ctx, "printers/floor-2")
		fmt.Printf("printer %d: %v\n", i+1, err == nil)
	}
	// Output:
	// printer 1: true
	// printer 2: true
	// printer 3: false
}
