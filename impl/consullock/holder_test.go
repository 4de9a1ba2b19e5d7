package consullock

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/hashicorp/consul/api"
	"go.uber.org/goleak"

	"github.com/lockstep-sim/lockstep/impl/lock"
)

// holderEnv makes this test binary a program that holds the lock "k" of the
// server at the given address.
const holderEnv = "CONSULLOCK_TEST_HOLDER"

func TestMain(m *testing.M) {
	if addr := os.Getenv(holderEnv); addr != "" {
		if err := hold(addr); err != nil {
			fmt.Println("error:", err)
			os.Exit(1)
		}
		return
	}
	// Started for the real server, and never ended.
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/hashicorp/consul/sdk/freeport.checkFreedPorts"))
}

// brief is for tests that wait in real time, on a server with briefMinTTL.
var brief = Config{TTL: 300 * time.Millisecond, MinTTL: briefMinTTL, LockDelay: 50 * time.Millisecond, DelayPoll: 10 * time.Millisecond}

const briefMinTTL = 100 * time.Millisecond

// hold takes the lock, says so with its token, and after a line of input what
// has become of it.
func hold(addr string) error {
	client, err := api.NewClient(&api.Config{Address: addr})
	if err != nil {
		return err
	}
	m, err := New(client, brief)
	if err != nil {
		return err
	}
	lease, err := m.Acquire(background, "k")
	if err != nil {
		return err
	}
	token, _ := lease.Token()
	fmt.Println("held", token)
	if _, err := bufio.NewReader(os.Stdin).ReadString('\n'); err != nil {
		return err
	}
	<-lease.Done()
	fmt.Printf("lost=%v not-held=%v\n", errors.Is(lease.Err(), lock.ErrLost), errors.Is(lease.Release(background), lock.ErrNotHeld))
	return nil
}
