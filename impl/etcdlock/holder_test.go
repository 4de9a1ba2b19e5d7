package etcdlock_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"github.com/lockstep-sim/lockstep/impl/etcdlock"
	"github.com/lockstep-sim/lockstep/impl/lock"
)

// holderEnv makes the test binary a holder of the lock "k" on the etcd at the
// address that it contains.
const holderEnv = "LOCKSTEP_TEST_ETCD_HOLDER"

// holdForParent takes the lock and says so on its output. When a line comes in,
// it tries to write as the holder, and reports how that went.
func holdForParent(endpoint string) {
	ctx := context.Background()
	lease, err := takeAt(ctx, endpoint)
	if err != nil {
		fmt.Println("error", err)
		return
	}
	fmt.Println("held")
	if _, err := bufio.NewReader(os.Stdin).ReadString('\n'); err != nil {
		return
	}
	write := etcdlock.GuardedPut(ctx, lease, "data", "stale")
	ended := false
	select {
	case <-lease.Done():
		ended = true
	case <-time.After(5 * time.Second):
	}
	release := lease.Release(ctx)
	fmt.Printf("write-refused=%v done=%v release-not-held=%v\n",
		errors.Is(write, lock.ErrNotHeld), ended, errors.Is(release, lock.ErrNotHeld))
}

func takeAt(ctx context.Context, endpoint string) (lock.Lease, error) {
	client, err := clientv3.New(clientv3.Config{Endpoints: []string{endpoint}, Logger: zap.NewNop()})
	if err != nil {
		return nil, err
	}
	l, err := etcdlock.New(client, etcdlock.Config{TTL: time.Second})
	if err != nil {
		return nil, err
	}
	return l.Acquire(ctx, "k")
}
