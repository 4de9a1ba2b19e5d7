package etcdlock_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/lockstep-sim/lockstep/impl/embedded/etcd"
	"github.com/lockstep-sim/lockstep/impl/etcdlock"
	"github.com/lockstep-sim/lockstep/impl/lock"
)

func Example() {
	ctx := context.Background()
	server, err := etcd.Start(ctx) // a real etcd, in this process
	if err != nil {
		log.Fatal(err)
	}
	defer server.Close()
	client, err := server.NewClient() // or clientv3.New, with the addresses of yours
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()

	locker, err := etcdlock.New(client, etcdlock.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer locker.Close()

	err = lock.Do(ctx, locker, "order:42", func(ctx context.Context) error {
		_, err := locker.TryAcquire(ctx, "order:42")
		fmt.Println("anybody else:", errors.Is(err, lock.ErrNotAcquired))
		return nil // ctx ends if the lock is lost, so pass it on
	})
	fmt.Println("error:", err)
	// Output:
	// anybody else: true
	// error: <nil>
}

func ExampleGuardedPut() {
	ctx := context.Background()
	server, err := etcd.Start(ctx)
	if err != nil {
		log.Fatal(err)
	}
	defer server.Close()
	client, err := server.NewClient()
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	locker, err := etcdlock.New(client, etcdlock.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer locker.Close()

	lease, err := locker.Acquire(ctx, "order:42")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("as the holder:", etcdlock.GuardedPut(ctx, lease, "orders/42", "paid"))
	if err := lease.Release(ctx); err != nil {
		log.Fatal(err)
	}
	err = etcdlock.GuardedPut(ctx, lease, "orders/42", "cancelled")
	fmt.Println("afterwards refused:", errors.Is(err, lock.ErrNotHeld))
	// Output:
	// as the holder: <nil>
	// afterwards refused: true
}
