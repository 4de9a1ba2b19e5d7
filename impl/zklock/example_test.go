package zklock_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/lockstep-sim/lockstep/impl/embedded/zk"
	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/zklock"
	"github.com/lockstep-sim/lockstep/impl/zklock/zkconn"
)

func Example() {
	server, err := zk.Listen(zk.Options{}) // or any ZooKeeper
	if err != nil {
		log.Fatal(err)
	}
	defer server.Close()
	ctx := context.Background()

	conn, err := zkconn.Dial(ctx, zkconn.Config{Servers: []string{server.Addr()}})
	if err != nil {
		log.Fatal(err)
	}
	defer conn.Close()
	locker, err := zklock.New(conn, zklock.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer locker.Close()

	lease, err := locker.Acquire(ctx, "order:1")
	if err != nil {
		log.Fatal(err)
	}
	_, err = locker.TryAcquire(ctx, "order:1")
	fmt.Println("somebody else is refused:", errors.Is(err, lock.ErrNotAcquired))

	// Work, pass lease.Token() along with every write, and stop when
	// lease.Done() is closed.

	if err := lease.Release(ctx); err != nil {
		log.Fatal(err) // lock.ErrNotHeld: the lease ended before the work did
	}
	// Output: somebody else is refused: true
}

func ExampleMutex_reentrant() {
	ctx := context.Background()
	server, err := zk.Listen(zk.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer server.Close()
	locker, err := zklock.Open(ctx, server.URL())
	if err != nil {
		log.Fatal(err)
	}
	defer locker.Close()

	outer, err := locker.Acquire(ctx, "account:7", lock.WithOwner("transfer-42"))
	if err != nil {
		log.Fatal(err)
	}
	inner, err := locker.Acquire(ctx, "account:7", lock.WithOwner("transfer-42"))
	if err != nil {
		log.Fatal(err)
	}
	a, _ := outer.Token()
	b, _ := inner.Token()
	fmt.Println("one node for both:", a == b)
	fmt.Println(inner.Release(ctx), outer.Release(ctx))
	// Output:
	// one node for both: true
	// <nil> <nil>
}
