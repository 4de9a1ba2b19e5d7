package redislock_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/redislock"
)

// readWrite makes a read-write lock with a client of its own.
func (s *store) readWrite(cfg redislock.Config) (r, w lock.Locker) {
	s.t.Helper()
	rw, _ := locker(s, redislock.NewReadWrite, cfg)
	return rw.Reader(), rw.Writer()
}

func TestReadersShareAndAWriterExcludes(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *store) {
		r, w := s.readWrite(redislock.Config{TTL: long, Fencing: true})
		first, second := granted(t, r), granted(t, r)
		refused(t, w)
		release(t, first)
		refused(t, w)
		release(t, second)
		writer := granted(t, w)
		refused(t, r)
		refused(t, w)
		if token, ok := writer.Token(); !ok || token != 1 {
			t.Errorf("token of the writer %d, %v; want 1", token, ok)
		}
		if token, ok := first.Token(); ok {
			t.Errorf("a reader has token %d", token)
		}
		release(t, writer)
		releaseIs(t, writer, lock.ErrNotHeld)
		s.checkNothingLeft()
	})
}

func TestAWriterMayReadAndReleaseInEitherOrder(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *store) {
		r, w := s.readWrite(redislock.Config{TTL: long})
		for range 2 {
			writes, reads := granted(t, w, alice), granted(t, r, alice)
			release(t, writes) // from here on alice only reads
			refused(t, w, bob)
			also := granted(t, r, bob)
			release(t, also)
			release(t, reads)

			writes, reads = granted(t, w, alice), granted(t, r, alice)
			release(t, reads) // from here on alice only writes
			refused(t, r, bob)
			release(t, writes)
		}
		s.checkNothingLeft()
	})
}

func TestADowngradeWakesReadersAtOnce(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *store) {
		r, w := s.readWrite(redislock.Config{TTL: long})
		waiting, wire := locker(s, redislock.NewReadWrite, redislock.Config{TTL: long, Poll: time.Hour})
		writes := granted(t, w, alice)
		reader := start(t.Context(), waiting.Reader())
		eventually(t, "the reader listens and has looked", func() bool { return wire.count("rw_acquire.lua") == 2 })
		reads := granted(t, r, alice)
		release(t, writes)
		lease, err := reader.result(t)
		if err != nil {
			t.Fatal(err)
		}
		release(t, lease)
		release(t, reads)
		s.checkNothingLeft()
	})
}

func TestAWriterInTheQueueWaitsForADowngradedOne(t *testing.T) {
	inVirtualTime(t, func(t *testing.T, s *store) {
		r, w := s.readWrite(redislock.Config{TTL: long})
		writes := granted(t, w, alice)
		begin := time.Now()
		next := start(t.Context(), w, bob)
		reads := granted(t, r, alice)
		release(t, writes)
		<-time.After(time.Minute)
		release(t, reads)
		lease, err := next.result(t)
		if err != nil {
			t.Fatal(err)
		}
		if waited := time.Since(begin); waited < time.Minute {
			t.Errorf("the writer got in after %v, while the other still read", waited)
		}
		release(t, lease)
	})
}

func TestAnUpgradeIsAnErrorAndNotADeadlock(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *store) {
		r, w := s.readWrite(redislock.Config{TTL: long})
		reads, other := granted(t, r, alice), granted(t, r, bob)
		check := func() {
			t.Helper()
			_, err := w.Acquire(t.Context(), key, alice)
			if !errors.Is(err, redislock.ErrUpgrade) || !errors.Is(err, lock.ErrInvalid) || !errors.Is(err, lock.ErrNotAcquired) {
				t.Errorf("Acquire = %v, want ErrUpgrade, ErrInvalid and ErrNotAcquired", err)
			}
		}
		check()
		release(t, other)
		check() // also for the only reader
		release(t, reads)
		s.checkNothingLeft()
	})
}

func TestAShorterReentryOfTheWriterDoesNotShorten(t *testing.T) {
	inVirtualTime(t, func(t *testing.T, s *store) {
		_, w := s.readWrite(redislock.Config{Fencing: true})
		long := granted(t, w, alice, lock.WithFixedLease(10*time.Second))
		short := granted(t, w, alice, lock.WithFixedLease(time.Second))
		a, _ := long.Token()
		if b, _ := short.Token(); a != b {
			t.Errorf("re-entry changed the token from %d to %d", a, b)
		}
		<-time.After(9 * time.Second)
		refused(t, w, bob)
		releaseIs(t, short, lock.ErrNotHeld)
		<-time.After(time.Second + 2*time.Millisecond)
		release(t, granted(t, w, bob))
		releaseIs(t, long, lock.ErrNotHeld)
		s.checkNothingLeft()
	})
}

func TestADeadReaderDoesNotLiveOnOthersRenewals(t *testing.T) {
	inVirtualTime(t, func(t *testing.T, s *store) {
		r, w := s.readWrite(redislock.Config{TTL: 3 * time.Second})
		alive := granted(t, r)
		dead := granted(t, r, lock.WithFixedLease(time.Second))
		<-time.After(10 * time.Second)
		if n := s.admin.ZCard(t.Context(), "{"+key+"}:readers").Val(); n != 1 {
			t.Errorf("%d readers, want 1", n)
		}
		refused(t, w)
		release(t, alive)
		release(t, granted(t, w))
		releaseIs(t, dead, lock.ErrNotHeld)
		s.checkNothingLeft()
	})
}

func TestAWriterWaitsForTheLastReaderToExpire(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *store) {
		r, w := s.readWrite(redislock.Config{TTL: long, Poll: time.Hour})
		granted(t, r, lock.WithFixedLease(short))
		last := granted(t, r, lock.WithFixedLease(2*short))
		lease := acquire(t, w)
		if last.Err() == nil {
			t.Error("the writer got in before the last reader had ended")
		}
		release(t, lease)
	})
}

func TestOwnersWhoseNamesBeginAlikeAreDifferent(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *store) {
		_, w := s.readWrite(redislock.Config{TTL: long})
		lease := granted(t, w, lock.WithOwner("a"))
		refused(t, w, lock.WithOwner("a:b"))
		refused(t, w, lock.WithOwner(""))
		release(t, lease)
		lease = granted(t, w, lock.WithOwner("a:b"))
		refused(t, w, lock.WithOwner("a"))
		release(t, lease)
	})
}

func TestALostAnswerToAReaderLeavesNothing(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *store) {
		rw, wire := locker(s, redislock.NewReadWrite, redislock.Config{TTL: long})
		for name, l := range map[string]lock.Locker{"reader": rw.Reader(), "writer": rw.Writer()} {
			wire.fail(func(_ context.Context, request string, send func() error) error {
				err := send()
				if request == "rw_acquire.lua" {
					return errReset
				}
				return err
			})
			if _, err := l.Acquire(t.Context(), key); !errors.Is(err, lock.ErrNotAcquired) {
				t.Errorf("%s: Acquire = %v, want ErrNotAcquired", name, err)
			}
			s.checkNothingLeft()
		}
	})
}
