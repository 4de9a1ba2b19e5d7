package redislock_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockstep-sim/lockstep/impl/embedded/redisd"
	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/redislock"
	"github.com/lockstep-sim/lockstep/internal/realserver"
)

// nodes are the independent servers of a Redlock.
type nodes []*store

// onFiveNodes runs a test on miniredis and on real servers.
func onFiveNodes(t *testing.T, test func(t *testing.T, all nodes)) {
	t.Run("miniredis", func(t *testing.T) { fiveInVirtualTime(t, test) })
	t.Run("redis-server", func(t *testing.T) {
		var all nodes
		for range 5 {
			addr := realserver.Redis(t).Addr()
			options := redisd.InMemory().Options()
			options.Addr, options.Dialer = addr, nil
			all = append(all, newStore(t, func() *redis.Options { o := *options; return &o }))
		}
		test(t, all)
	})
}

func fiveInVirtualTime(t *testing.T, test func(t *testing.T, all nodes)) {
	synctest.Test(t, func(t *testing.T) {
		var all nodes
		for range 5 {
			server := redisd.InMemory()
			t.Cleanup(server.Close)
			all = append(all, newStore(t, server.Options))
		}
		test(t, all)
	})
}

// redlock makes a lock with a client of its own for each node.
func (all nodes) redlock(cfg redislock.Config) (*redislock.Redlock, []*wire) {
	t := all[0].t
	t.Helper()
	var clients []redislock.Client
	var wires []*wire
	for _, s := range all {
		rdb, w := s.client()
		clients, wires = append(clients, rdb), append(wires, w)
	}
	l, err := redislock.NewRedlock(clients, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return l, wires
}

// patient is for real servers, whose answers take longer under load than the
// default allows.
var patient = redislock.Config{TTL: long, RequestTimeout: long / 3}

// owned is on how many nodes an owner has the lock.
func (all nodes) owned(owner string) (n int) {
	for _, s := range all {
		if s.owner(key) == owner {
			n++
		}
	}
	return n
}

// down makes requests to the first n nodes fail, without being carried out.
func down(wires []*wire, n int) {
	for i, w := range wires {
		w.fail(nil)
		if i < n {
			w.fail(func(context.Context, string, func() error) error { return errReset })
		}
	}
}

func TestRedlockNeedsAMajority(t *testing.T) {
	onFiveNodes(t, func(t *testing.T, all nodes) {
		for dead := range 5 {
			l, wires := all.redlock(patient)
			down(wires, dead)
			lease, err := l.TryAcquire(t.Context(), key)
			if dead <= 2 {
				if err != nil {
					t.Fatalf("%d of 5 down: %v", dead, err)
				}
				if n := all.owned(lease.Owner()); n != 5-dead {
					t.Errorf("%d of 5 down: owner on %d nodes, want %d", dead, n, 5-dead)
				}
				if _, ok := lease.Token(); ok {
					t.Error("a Redlock gave a token")
				}
				release(t, lease)
			} else if !errors.Is(err, lock.ErrNotAcquired) || !strings.Contains(err.Error(), "no majority") {
				t.Errorf("%d of 5 down: %v, want ErrNotAcquired for want of a majority", dead, err)
			}
			if n := all.owned(""); n != 5 {
				t.Errorf("%d of 5 down: free on %d nodes afterwards, want 5", dead, n)
			}
		}
	})
}

func TestRedlockGivesBackWhatItGotFromAMinority(t *testing.T) {
	onFiveNodes(t, func(t *testing.T, all nodes) {
		for _, s := range all[:3] {
			s.admin.Set(t.Context(), key, "another", long)
		}
		l, wires := all.redlock(patient)
		refused(t, l)
		if free, another := all.owned(""), all.owned("another"); free != 2 || another != 3 {
			t.Errorf("free on %d nodes and another's on %d, want 2 and 3", free, another)
		}
		for i, w := range wires {
			if w.count("release.lua") != 1 {
				t.Errorf("node %d was not asked to release", i+1)
			}
		}
	})
}

func TestRedlockReleasesOnNodesWhoseAnswerWasLost(t *testing.T) {
	onFiveNodes(t, func(t *testing.T, all nodes) {
		l, wires := all.redlock(patient)
		for _, w := range wires[:2] {
			w.fail(func(_ context.Context, name string, send func() error) error {
				err := send()
				if name == "SET" {
					return errReset
				}
				return err
			})
		}
		lease := acquire(t, l)
		release(t, lease)
		if n := all.owned(""); n != 5 {
			t.Errorf("free on %d nodes, want 5", n)
		}
		releaseIs(t, lease, lock.ErrNotHeld)
	})
}

func TestRedlockValidityIsTheTTLLessDrift(t *testing.T) {
	fiveInVirtualTime(t, func(t *testing.T, all nodes) {
		l, wires := all.redlock(redislock.Config{TTL: 10 * time.Second})
		for _, w := range wires {
			w.fail(func(_ context.Context, _ string, send func() error) error {
				<-time.After(20 * time.Millisecond)
				return send()
			})
		}
		sent := time.Now()
		lease := acquire(t, l)
		if took := time.Since(sent); took != 20*time.Millisecond {
			t.Errorf("the requests took %v, want them at the same time", took)
		}
		// 1 % of 10 s and 2 ms.
		if got, want := lease.Deadline().Sub(sent), 10*time.Second-102*time.Millisecond; got != want {
			t.Errorf("valid for %v after the request, want %v", got, want)
		}
		release(t, lease)
	})
}

func TestADeadNodeCostsRedlockItsTimeoutAndNoMore(t *testing.T) {
	for name, c := range map[string]struct {
		cfg  redislock.Config
		want time.Duration
	}{
		"a twentieth of the TTL":             {redislock.Config{TTL: 300 * time.Millisecond}, 15 * time.Millisecond},
		"not below 5 ms":                     {redislock.Config{TTL: 60 * time.Millisecond}, 5 * time.Millisecond},
		"not above 50 ms":                    {redislock.Config{TTL: 30 * time.Second}, 50 * time.Millisecond},
		"configured":                         {redislock.Config{TTL: 300 * time.Millisecond, RequestTimeout: 90 * time.Millisecond}, 90 * time.Millisecond},
		"never more than a third of the TTL": {redislock.Config{TTL: 300 * time.Millisecond, RequestTimeout: time.Second}, 100 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			fiveInVirtualTime(t, func(t *testing.T, all nodes) {
				l, wires := all.redlock(c.cfg)
				wires[4].fail(func(ctx context.Context, _ string, _ func() error) error {
					<-ctx.Done()
					return ctx.Err()
				})
				begin := time.Now()
				lease := acquire(t, l)
				if took := time.Since(begin); took != c.want {
					t.Errorf("a dead node cost %v, want %v", took, c.want)
				}
				release(t, lease)
			})
		})
	}
}

// A validity of zero or less must never be returned.
func TestRedlockReturnsNoLeaseThatHasEnded(t *testing.T) {
	fiveInVirtualTime(t, func(t *testing.T, all nodes) {
		const ttl = time.Second // of which 988 ms are valid
		l, wires := all.redlock(redislock.Config{TTL: ttl})
		slow := func(d time.Duration) {
			for _, w := range wires {
				w.fail(func(_ context.Context, name string, send func() error) error {
					err := send()
					if name == "SET" {
						<-time.After(d) // as in a pause of the process
					}
					return err
				})
			}
		}
		slow(988 * time.Millisecond)
		refused(t, l)
		if n := all.owned(""); n != 5 {
			t.Errorf("free on %d nodes, want 5", n)
		}
		slow(987 * time.Millisecond)
		lease := granted(t, l)
		release(t, lease)
	})
}

func TestRedlockExtendsByMajority(t *testing.T) {
	fiveInVirtualTime(t, func(t *testing.T, all nodes) {
		l, _ := all.redlock(redislock.Config{TTL: 3 * time.Second})
		lease := acquire(t, l)
		for _, s := range all[:2] {
			s.admin.Del(t.Context(), key)
		}
		<-time.After(10 * time.Second)
		if lease.Err() != nil {
			t.Fatalf("lost with 3 of 5 nodes: %v", lease.Err())
		}
		all[2].admin.Del(t.Context(), key)
		<-time.After(time.Second + time.Millisecond)
		if !errors.Is(lease.Err(), lock.ErrLost) {
			t.Errorf("Err = %v with 2 of 5 nodes, want ErrLost", lease.Err())
		}
		releaseIs(t, lease, lock.ErrNotHeld)
		if n := all.owned(""); n != 5 {
			t.Errorf("free on %d nodes, want 5", n)
		}
	})
}

func TestRedlockOutlivesARenewalWithoutAMajority(t *testing.T) {
	fiveInVirtualTime(t, func(t *testing.T, all nodes) {
		l, wires := all.redlock(redislock.Config{TTL: 3 * time.Second})
		lease := acquire(t, l)
		down(wires, 3)
		<-time.After(2 * time.Second)
		down(wires, 0)
		<-time.After(10 * time.Second)
		if lease.Err() != nil {
			t.Errorf("lost by a passing failure: %v", lease.Err())
		}
		down(wires, 3)
		begin := lease.Deadline()
		<-lease.Done()
		if at := time.Now(); at.Before(begin) || !errors.Is(lease.Err(), lock.ErrLost) {
			t.Errorf("ended %v before its deadline with %v", begin.Sub(at), lease.Err())
		}
		releaseIs(t, lease, lock.ErrNotHeld)
	})
}

func TestRedlockContendersTakeTurns(t *testing.T) {
	fiveInVirtualTime(t, func(t *testing.T, all nodes) {
		cfg := redislock.Config{TTL: 10 * time.Second}
		done := make(chan error)
		inside := 0
		for range 4 {
			l, _ := all.redlock(cfg)
			go func() {
				done <- lock.Do(t.Context(), l, key, func(context.Context) error {
					inside++
					if inside != 1 {
						t.Errorf("%d inside", inside)
					}
					<-time.After(50 * time.Millisecond)
					inside--
					return nil
				})
			}()
		}
		for range 4 {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
		if n := all.owned(""); n != 5 {
			t.Errorf("free on %d nodes, want 5", n)
		}
	})
}

func TestARedlockThatIsCancelledLeavesNothing(t *testing.T) {
	onFiveNodes(t, func(t *testing.T, all nodes) {
		l, wires := all.redlock(patient)
		ctx, cancel := context.WithCancel(t.Context())
		wires[4].fail(func(_ context.Context, name string, send func() error) error {
			if name == "SET" {
				cancel() // while the others are granted
				return context.Canceled
			}
			return send()
		})
		if _, err := l.Acquire(ctx, key); !errors.Is(err, context.Canceled) || !errors.Is(err, lock.ErrNotAcquired) {
			t.Errorf("Acquire = %v, want context.Canceled and ErrNotAcquired", err)
		}
		if n := all.owned(""); n != 5 {
			t.Errorf("free on %d nodes, want 5", n)
		}
	})
}

func TestAReleaseThatReachesNoMajorityIsUnknown(t *testing.T) {
	fiveInVirtualTime(t, func(t *testing.T, all nodes) {
		l, wires := all.redlock(redislock.Config{TTL: 10 * time.Second})
		lease := acquire(t, l)
		down(wires, 3)
		releaseIs(t, lease, lock.ErrUnknownOutcome)
	})
}
