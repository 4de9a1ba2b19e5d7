package zklock_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/lockstep-sim/lockstep/impl/embedded/zk/state"
	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/zklock"
	"github.com/lockstep-sim/lockstep/impl/zklock/zkconn"
	"github.com/lockstep-sim/lockstep/internal/realserver"
)

func TestOnServers(t *testing.T) {
	onEveryServer(t, func(t *testing.T, b backend) {
		for name, f := range map[string]func(*testing.T, backend){
			"mutual exclusion":              mutualExclusion,
			"order of arrival":              orderOfArrival,
			"waiter in the middle leaves":   middleLeaves,
			"lost answers":                  lostAnswers,
			"cut off holder":                cutOffHolder,
			"readers, writers, a downgrade": readersAndWriters,
			"permits":                       permits,
		} {
			t.Run(name, func(t *testing.T) { f(t, b) })
		}
		t.Run("restart", func(t *testing.T) { restart(t, b) })
	})
}

func mutualExclusion(t *testing.T, b backend) {
	const clients, rounds = 4, 25
	counter := 0 // guarded by the lock alone
	var done sync.WaitGroup
	for range clients {
		m, _ := b.mutex(t)
		done.Go(func() {
			for range rounds {
				lease := b.acquire(t, m, "counter")
				counter++
				if err := lease.Release(t.Context()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	done.Wait()
	if counter != clients*rounds {
		t.Errorf("counter %d, want %d", counter, clients*rounds)
	}
}

func orderOfArrival(t *testing.T, b backend) {
	watcher, _ := b.client(t)
	holder, _ := b.mutex(t)
	held := b.acquire(t, holder, "order")
	var came order
	var done sync.WaitGroup
	last, _ := held.Token()
	for i := range 5 {
		m, _ := b.mutex(t)
		done.Go(func() {
			lease := b.acquire(t, m, "order")
			token, _ := lease.Token()
			if token <= last {
				t.Errorf("token %d after %d", token, last)
			}
			last = token
			came.add(fmt.Sprint(i))
			_ = lease.Release(t.Context())
		})
		b.waitQueue(t, watcher, "order", i+2)
	}
	if err := held.Release(t.Context()); err != nil {
		t.Error(err)
	}
	done.Wait()
	if came.String() != "0 1 2 3 4" {
		t.Errorf("came in the order %v", &came)
	}
}

func middleLeaves(t *testing.T, b backend) {
	watcher, _ := b.client(t)
	var ms []*zklock.Mutex
	for range 3 {
		m, _ := b.mutex(t)
		ms = append(ms, m)
	}
	a := b.acquire(t, ms[0], "middle")
	middle := start(ms[1], "middle")
	b.waitQueue(t, watcher, "middle", 2)
	last := start(ms[2], "middle")
	b.waitQueue(t, watcher, "middle", 3)
	middle.cancel()
	if _, err := middle.result(); !errors.Is(err, lock.ErrNotAcquired) {
		t.Errorf("cancelled: %v", err)
	}
	b.waitQueue(t, watcher, "middle", 2)
	if err := a.Release(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := last.result(); err != nil {
		t.Error(err)
	}
}

func lostAnswers(t *testing.T, b backend) {
	watcher, _ := b.client(t)
	m, network := b.mutex(t)
	if err := b.acquire(t, m, "lost").Release(t.Context()); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		network.loseAnswer(int32(state.OpMulti))
		lease := b.acquire(t, m, "lost")
		b.waitQueue(t, watcher, "lost", 1)
		network.loseAnswer(int32(state.OpDelete))
		if err := lease.Release(t.Context()); err != nil && !errors.Is(err, lock.ErrUnknownOutcome) {
			t.Errorf("release: %v", err)
		}
		b.waitQueue(t, watcher, "lost", 0)
	}
}

func cutOffHolder(t *testing.T, b backend) {
	m, network := b.mutex(t)
	other, _ := b.mutex(t)
	lease := b.acquire(t, m, "cut")
	next := start(other, "cut")
	network.partition()
	cut := time.Now()
	waitDone(t, lease)
	if after := time.Since(cut); after > brief+brief/2 {
		t.Errorf("the holder noticed after %v", after)
	}
	if _, err := next.result(); err != nil {
		t.Error(err)
	}
	// The deadline of the holder is never later than that of the server.
	if lease.Deadline().After(time.Now()) {
		t.Errorf("the next one got in %v before the holder's deadline", time.Until(lease.Deadline()))
	}
	network.heal()
	if err := lease.Release(t.Context()); !errors.Is(err, lock.ErrNotHeld) {
		t.Errorf("release: %v, want ErrNotHeld", err)
	}
}

func readersAndWriters(t *testing.T, b backend) {
	watcher, _ := b.client(t)
	readWrite := func() *zklock.ReadWrite {
		c, _ := b.client(t)
		rw := must(zklock.NewReadWrite(c, zklock.Config{}))
		t.Cleanup(func() { _ = rw.Close() })
		return rw
	}
	rw, me := readWrite(), lock.WithOwner("me")
	write := must(rw.Writer().Acquire(t.Context(), "rw", me))
	read := must(rw.Reader().Acquire(t.Context(), "rw", me))
	reader := start(readWrite().Reader(), "rw")
	b.waitQueue(t, watcher, "rw", 2)
	writer := start(readWrite().Writer(), "rw")
	b.waitQueue(t, watcher, "rw", 3)
	if err := write.Release(t.Context()); err != nil {
		t.Error(err)
	}
	if err := must(reader.result()).Release(t.Context()); err != nil {
		t.Error(err)
	}
	if err := read.Release(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := writer.result(); err != nil {
		t.Error(err)
	}
}

func permits(t *testing.T, b backend) {
	const n, clients, rounds = 2, 4, 10
	inUse := make(chan struct{}, n)
	var done sync.WaitGroup
	for range clients {
		c, _ := b.client(t)
		s := must(zklock.NewSemaphore(c, n, zklock.Config{}))
		t.Cleanup(func() { _ = s.Close() })
		done.Go(func() {
			for range rounds {
				lease := b.acquire(t, s, "permits")
				select {
				case inUse <- struct{}{}:
				default:
					t.Errorf("more than %d permits in use", n)
					return
				}
				<-inUse
				if err := lease.Release(t.Context()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	done.Wait()
}

// The restarted server knows node and session, so the lock is where it was.
func restart(t *testing.T, b backend) {
	c := must(zkconn.Dial(t.Context(), zkconn.Config{
		Servers: []string{b.addr}, SessionTimeout: limit, DialTimeout: limit,
	}))
	t.Cleanup(c.Close)
	m := must(zklock.New(c, zklock.Config{}))
	t.Cleanup(func() { _ = m.Close() })
	held := b.acquire(t, m, "restart")
	next := start(m, "restart")
	b.waitQueue(t, c, "restart", 2)
	b.restart(t)
	b.waitQueue(t, c, "restart", 2)
	if isDone(held) {
		t.Fatalf("the lease ended with %v", held.Err())
	}
	if err := held.Release(t.Context()); err != nil {
		t.Errorf("release: %v", err)
	}
	if _, err := next.result(); err != nil {
		t.Error(err)
	}
}

func TestOrderIsKeptWhereTheRealServerRunsOutOfNumbers(t *testing.T) {
	b := backend{addr: realserver.ZooKeeper(t, realserver.ZooKeeperCounter("/lockstep/k", 2147483645)).Addr()}
	watcher, _ := b.client(t)
	m, _ := b.mutex(t)
	holder := b.acquire(t, m, "k")
	var waiting []*attempt
	for i := range 6 {
		waiting = append(waiting, start(m, "k"))
		b.waitQueue(t, watcher, "k", i+2)
	}
	for i, next := range waiting {
		select {
		case <-next.done:
			t.Fatalf("waiter %d got in beside the holder", i)
		default:
		}
		if err := holder.Release(t.Context()); err != nil {
			t.Fatal(err)
		}
		lease, err := next.result()
		if err != nil {
			t.Fatal(err)
		}
		holder = lease
	}
	if err := holder.Release(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.waitQueue(t, watcher, "k", 0)
}
