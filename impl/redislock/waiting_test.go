package redislock_test

import (
	"context"
	"errors"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/redislock"
)

func TestAReleaseWakesAWaiterWithinTwoRoundTrips(t *testing.T) {
	for name, fencing := range map[string]bool{"plain": false, "fencing": true} {
		t.Run(name, func(t *testing.T) {
			onEachStore(t, func(t *testing.T, s *store) {
				a, _ := s.mutex(redislock.Config{TTL: long, Fencing: fencing})
				b, w := s.mutex(redislock.Config{TTL: long, Fencing: fencing})
				lease := acquire(t, a)
				waiting := start(t.Context(), b)
				s.settled(t, w, fencing)
				w.forget()
				release(t, lease)
				next, err := waiting.result(t)
				if err != nil {
					t.Fatalf("waiting Acquire = %v", err)
				}
				want := []string{"SET"}
				if fencing {
					want = []string{"acquire.lua"}
				}
				if got := w.requests(); !slices.Equal(got, want) {
					t.Errorf("requests after the release = %v, want %v", got, want)
				}
				release(t, next)
				if n := s.subscribers(key); n != 0 {
					t.Errorf("%d subscriptions left behind", n)
				}
			})
		})
	}
}

// settled waits until a waiter has subscribed and looked a second time.
func (s *store) settled(t *testing.T, w *wire, fencing bool) {
	t.Helper()
	eventually(t, "the waiter looks again after it has subscribed", func() bool {
		if fencing {
			return w.count("acquire.lua") >= 2
		}
		return w.count("PTTL") >= 1
	})
}

func TestAnExpiryWithoutANotificationWakesAWaiter(t *testing.T) {
	for name, fencing := range map[string]bool{"plain": false, "fencing": true} {
		t.Run(name, func(t *testing.T) {
			onEachStore(t, func(t *testing.T, s *store) {
				s.admin.Set(t.Context(), key, "a holder that has died", short)
				m, _ := s.mutex(redislock.Config{TTL: long, Fencing: fencing, Poll: time.Hour})
				before := time.Now()
				lease := acquire(t, m)
				if waited := time.Since(before); waited > long/2 {
					t.Errorf("waited %v for a lease that ended after %v", waited, short)
				}
				release(t, lease)
			})
		})
	}
}

func TestAWaiterLooksAgainAfterThePollInterval(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *store) {
		s.admin.Set(t.Context(), key, "a holder without a TTL", 0)
		m, w := s.mutex(redislock.Config{TTL: long, Poll: often})
		waiting := start(t.Context(), m)
		eventually(t, "several looks", func() bool { return w.count("SET") >= 5 })
		s.admin.Del(t.Context(), key)
		lease, err := waiting.result(t)
		if err != nil {
			t.Fatalf("Acquire = %v", err)
		}
		release(t, lease)
	})
}

func TestACancelledWaiterLeavesNothing(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *store) {
		a, _ := s.mutex(redislock.Config{TTL: long})
		b, w := s.mutex(redislock.Config{TTL: long})
		c, _ := s.mutex(redislock.Config{TTL: long})
		lease := acquire(t, a)
		ctx, cancel := context.WithCancel(t.Context())
		waiting := start(ctx, b)
		s.settled(t, w, false)
		cancel()
		_, err := waiting.result(t)
		if !errors.Is(err, lock.ErrNotAcquired) || !errors.Is(err, context.Canceled) {
			t.Errorf("Acquire = %v, want ErrNotAcquired and context.Canceled", err)
		}
		eventually(t, "no subscription is left", func() bool { return s.subscribers(key) == 0 })
		if s.owner(key) != lease.Owner() {
			t.Errorf("the key holds %q, want the holder's %q", s.owner(key), lease.Owner())
		}
		release(t, lease)
		next, err := c.TryAcquire(t.Context(), key)
		if err != nil {
			t.Fatalf("the lock is not free for the next: %v", err)
		}
		release(t, next)
	})
}

func TestAWaiterTimesOut(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *store) {
		a, _ := s.mutex(redislock.Config{TTL: long})
		b, _ := s.mutex(redislock.Config{TTL: long})
		lease := acquire(t, a)
		ctx, cancel := context.WithTimeout(t.Context(), short)
		defer cancel()
		_, err := b.Acquire(ctx, key)
		if !errors.Is(err, lock.ErrNotAcquired) || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Acquire = %v, want ErrNotAcquired and context.DeadlineExceeded", err)
		}
		release(t, lease)
	})
}

// A release between the first refusal and the subscription is not heard. The
// attempt after the confirmation sees it.
func TestAReleaseBeforeTheSubscriptionIsNotMissed(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *store) {
		a, _ := s.mutex(redislock.Config{TTL: long})
		b, w := s.mutex(redislock.Config{TTL: long, Poll: time.Hour})
		lease := acquire(t, a)
		var once sync.Once
		w.fail(func(_ context.Context, _ string, send func() error) error {
			err := send()
			once.Do(func() { release(t, lease) })
			return err
		})
		next := acquire(t, b)
		if got := w.requests(); !slices.Equal(got, []string{"SET", "SET"}) {
			t.Errorf("requests = %v, want two attempts", got)
		}
		release(t, next)
	})
}

// A waiter must not depend on its subscription.
func TestWaitingGoesOnWithoutASubscription(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *store) {
		a, _ := s.mutex(redislock.Config{TTL: short, NoRenew: true})
		acquire(t, a)
		rdb, w := s.client()
		b, err := redislock.New(deaf{rdb, s}, redislock.Config{TTL: long})
		if err != nil {
			t.Fatal(err)
		}
		lease := acquire(t, b)
		if n := w.count("SET"); n > 10 {
			t.Errorf("%d attempts while waiting for %v, want no spinning", n, short)
		}
		release(t, lease)
	})
}

// deaf is a client whose subscriptions never get a connection.
type deaf struct {
	*redis.Client
	s *store
}

func (d deaf) Subscribe(ctx context.Context, channels ...string) *redis.PubSub {
	o := d.s.options()
	o.Dialer = func(context.Context, string, string) (net.Conn, error) {
		return nil, errors.New("no more connections")
	}
	return redis.NewClient(o).Subscribe(ctx, channels...)
}

func TestContendersNeverHoldItTogether(t *testing.T) {
	const workers, rounds = 8, 15
	onEachStore(t, func(t *testing.T, s *store) {
		var inside, entries atomic.Int64
		var wg sync.WaitGroup
		for range workers {
			m, _ := s.mutex(redislock.Config{TTL: long})
			wg.Go(func() {
				for range rounds {
					lease, err := m.Acquire(t.Context(), key)
					if err != nil {
						t.Errorf("Acquire = %v", err)
						return
					}
					if n := inside.Add(1); n != 1 {
						t.Errorf("%d holders at once", n)
					}
					entries.Add(1)
					inside.Add(-1)
					if err := lease.Release(t.Context()); err != nil {
						t.Errorf("Release = %v", err)
						return
					}
				}
			})
		}
		wg.Wait()
		if n := entries.Load(); n != workers*rounds {
			t.Errorf("%d entries, want %d", n, workers*rounds)
		}
		if n := s.subscribers(key); n != 0 || s.owner(key) != "" {
			t.Errorf("left behind: %d subscriptions, owner %q", n, s.owner(key))
		}
	})
}

// Waiters in one process do not share a notification: each wakes and looks.
func TestEveryWaiterGetsItsTurn(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *store) {
		m, w := s.mutex(redislock.Config{TTL: long, Poll: time.Hour})
		lease := acquire(t, m)
		waiting := make([]*acquisition, 3)
		for i := range waiting {
			waiting[i] = start(t.Context(), m)
		}
		eventually(t, "all wait", func() bool { return w.count("PTTL") >= len(waiting) })
		release(t, lease)
		for range waiting {
			next := firstOf(t, &waiting)
			release(t, next)
		}
	})
}

// firstOf waits for one of the acquisitions and takes it out of the list.
func firstOf(t *testing.T, waiting *[]*acquisition) lock.Lease {
	t.Helper()
	var got *acquisition
	eventually(t, "one of the waiters is granted the lock", func() bool {
		for i, a := range *waiting {
			select {
			case <-a.done:
				got = a
				*waiting = slices.Delete(*waiting, i, i+1)
				return true
			default:
			}
		}
		return false
	})
	if got.err != nil {
		t.Fatalf("Acquire = %v", got.err)
	}
	return got.lease
}
