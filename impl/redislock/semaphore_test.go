package redislock_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/redislock"
)

func (s *store) semaphore(permits int, cfg redislock.Config) (*redislock.Semaphore, *wire) {
	s.t.Helper()
	return locker(s, func(rdb redislock.Client, cfg redislock.Config) (*redislock.Semaphore, error) {
		return redislock.NewSemaphore(rdb, permits, cfg)
	}, cfg)
}

func (s *store) permitsOut() int64 { return s.admin.ZCard(context.Background(), key).Val() }

func TestASemaphoreGrantsItsPermitsAndNoMore(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *store) {
		sem, _ := s.semaphore(3, redislock.Config{TTL: long})
		a, b, c := granted(t, sem), granted(t, sem), granted(t, sem)
		refused(t, sem)
		release(t, b)
		d := granted(t, sem)
		refused(t, sem)
		for _, lease := range []lock.Lease{a, c, d} {
			release(t, lease)
			releaseIs(t, lease, lock.ErrNotHeld)
		}
		s.checkNothingLeft()
	})
}

func TestAPermitOfADeadHolderComesBackOnce(t *testing.T) {
	inVirtualTime(t, func(t *testing.T, s *store) {
		sem, _ := s.semaphore(2, redislock.Config{TTL: 3 * time.Second})
		alive := granted(t, sem)
		dead := granted(t, sem, lock.WithFixedLease(time.Second))
		<-time.After(time.Second + 2*time.Millisecond)
		next := granted(t, sem)
		refused(t, sem)
		releaseIs(t, dead, lock.ErrNotHeld) // frees nothing a second time
		refused(t, sem)
		<-time.After(10 * time.Second)
		refused(t, sem) // the two others are renewed
		release(t, alive)
		release(t, next)
		s.checkNothingLeft()
	})
}

func TestOfTwoWaitersOneGetsTheFreedPermit(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *store) {
		sem, _ := s.semaphore(2, redislock.Config{TTL: long})
		waiting, w := s.semaphore(2, redislock.Config{TTL: long, Poll: time.Hour})
		a, b := granted(t, sem), granted(t, sem)
		results := make(chan lock.Lease, 2)
		for range 2 {
			go func() {
				lease, err := waiting.Acquire(t.Context(), key)
				if err != nil {
					t.Errorf("Acquire = %v", err)
				}
				results <- lease
			}()
		}
		eventually(t, "both listen and have looked", func() bool { return w.count("semaphore_acquire.lua") == 4 })
		w.forget()
		release(t, a)
		first := <-results
		eventually(t, "the other has looked as well", func() bool { return w.count("semaphore_acquire.lua") == 2 })
		if n := s.permitsOut(); n != 2 {
			t.Errorf("%d permits are out, want 2", n)
		}
		select {
		case <-results:
			t.Fatal("both waiters got in on one permit")
		default:
		}
		release(t, b)
		release(t, <-results)
		release(t, first)
		s.checkNothingLeft()
	})
}

func TestAWaiterTakesOverWhenTheFirstPermitEnds(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *store) {
		sem, _ := s.semaphore(2, redislock.Config{TTL: long, Poll: time.Hour})
		lasting := granted(t, sem)
		dead := granted(t, sem, lock.WithFixedLease(short))
		next := acquire(t, sem)
		if dead.Err() == nil {
			t.Error("the waiter got in before a permit had ended")
		}
		release(t, next)
		release(t, lasting)
	})
}

func TestAWaiterThatIsInterruptedLeaksNoPermit(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *store) {
		sem, w := s.semaphore(1, redislock.Config{TTL: long})
		ctx, cancel := context.WithCancel(t.Context())
		w.fail(func(_ context.Context, name string, send func() error) error {
			err := send()
			if name == "semaphore_acquire.lua" {
				cancel() // between the grant and its answer
			}
			return err
		})
		if _, err := sem.Acquire(ctx, key); !errors.Is(err, context.Canceled) || !errors.Is(err, lock.ErrNotAcquired) {
			t.Errorf("Acquire = %v, want context.Canceled and ErrNotAcquired", err)
		}
		s.checkNothingLeft()
	})
}
