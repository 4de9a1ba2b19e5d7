package redislock_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/lockstep-sim/lockstep/impl/embedded/redisd"
	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/redislock"
)

func ExampleReentrant() {
	server := redisd.InMemory() // or any Redis
	defer server.Close()
	rdb := server.Client()
	defer rdb.Close()
	locker, err := redislock.NewReentrant(rdb, redislock.Config{})
	if err != nil {
		log.Fatal(err)
	}

	// The inner function asks for a lock that the outer one has already.
	ctx, me := context.Background(), lock.WithOwner("worker-7:job-42")
	err = lock.Do(ctx, locker, "order:1", func(ctx context.Context) error {
		return lock.Do(ctx, locker, "order:1", func(context.Context) error {
			fmt.Println("inside, twice")
			return nil
		}, me)
	}, me)
	fmt.Println(err)
	// Output:
	// inside, twice
	// <nil>
}

func ExampleFair() {
	server := redisd.InMemory() // or any Redis
	defer server.Close()
	rdb := server.Client()
	defer rdb.Close()
	locker, err := redislock.NewFair(rdb, redislock.Config{})
	if err != nil {
		log.Fatal(err)
	}
	err = lock.Do(context.Background(), locker, "order:1", func(context.Context) error {
		fmt.Println("my turn")
		return nil
	})
	fmt.Println(err)
	// Output:
	// my turn
	// <nil>
}

func ExampleReadWrite() {
	server := redisd.InMemory() // or any Redis
	defer server.Close()
	rdb := server.Client()
	defer rdb.Close()
	rw, err := redislock.NewReadWrite(rdb, redislock.Config{})
	if err != nil {
		log.Fatal(err)
	}
	ctx, me := context.Background(), lock.WithOwner("worker-7:job-42")

	// Write, and go on reading without letting another writer in between.
	write, err := rw.Writer().Acquire(ctx, "catalogue", me)
	if err != nil {
		log.Fatal(err)
	}
	read, err := rw.Reader().Acquire(ctx, "catalogue", me)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("write released:", write.Release(ctx))

	_, err = rw.Writer().Acquire(ctx, "catalogue", me)
	fmt.Println("back to writing is an upgrade:", errors.Is(err, redislock.ErrUpgrade))
	fmt.Println("read released:", read.Release(ctx))
	// Output:
	// write released: <nil>
	// back to writing is an upgrade: true
	// read released: <nil>
}

func ExampleSemaphore() {
	server := redisd.InMemory() // or any Redis
	defer server.Close()
	rdb := server.Client()
	defer rdb.Close()
	locker, err := redislock.NewSemaphore(rdb, 2, redislock.Config{})
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	for i := range 3 {
		lease, err := locker.TryAcquire(ctx, "printer")
		fmt.Println(i+1, "refused:", errors.Is(err, lock.ErrNotAcquired))
		if err == nil {
			defer lease.Release(ctx)
		}
	}
	// Output:
	// 1 refused: false
	// 2 refused: false
	// 3 refused: true
}

func ExampleLatch() {
	server := redisd.InMemory() // or any Redis
	defer server.Close()
	rdb := server.Client()
	defer rdb.Close()
	latch, err := redislock.NewLatch(rdb, redislock.Config{})
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	if _, err := latch.Set(ctx, "migration", 2); err != nil {
		log.Fatal(err)
	}
	for range 2 {
		left, err := latch.CountDown(ctx, "migration")
		fmt.Println("left:", left, err)
	}
	fmt.Println("open:", latch.Wait(ctx, "migration"))
	// Output:
	// left: 1 <nil>
	// left: 0 <nil>
	// open: <nil>
}

func ExampleRedlock() {
	var servers []redislock.Client
	for range 5 { // independent servers, not replicas of each other
		server := redisd.InMemory()
		defer server.Close()
		rdb := server.Client()
		defer rdb.Close()
		servers = append(servers, rdb)
	}
	locker, err := redislock.NewRedlock(servers, redislock.Config{})
	if err != nil {
		log.Fatal(err)
	}
	lease, err := locker.Acquire(context.Background(), "order:1")
	if err != nil {
		log.Fatal(err)
	}
	_, ok := lease.Token()
	fmt.Println("fencing token:", ok)
	fmt.Println("released:", lease.Release(context.Background()))
	// Output:
	// fencing token: false
	// released: <nil>
}
