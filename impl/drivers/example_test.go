package drivers_test

import (
	"context"
	"fmt"
	"log"
	"os"

	// Each import makes the URLs of one backend known. This one is for
	// embedded:redis.
	_ "github.com/lockstep-sim/lockstep/impl/drivers/embedded/redis"
	"github.com/lockstep-sim/lockstep/impl/lock"
)

// One value of the configuration chooses the backend.
func Example() {
	where := os.Getenv("LOCKS") // such as redis://localhost:6379?fencing=true
	if where == "" {
		where = "embedded:redis?fencing=true"
	}
	ctx := context.Background()
	locker, err := lock.Open(ctx, where)
	if err != nil {
		log.Fatal(err)
	}
	defer locker.Close()

	lease, err := locker.Acquire(ctx, "order:1")
	if err != nil {
		log.Fatal(err)
	}
	token, _ := lease.Token()
	fmt.Println("token", token)
	if err := lease.Release(ctx); err != nil {
		log.Fatal(err) // lock.ErrNotHeld: the lease ended before the work did
	}
	// Output: token 1
}
