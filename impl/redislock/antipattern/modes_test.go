package antipattern_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/redislock"
	"github.com/lockstep-sim/lockstep/impl/redislock/antipattern"
)

// readWrite is what the right and the wrong read-write lock have in common.
type readWrite interface {
	Reader() lock.Locker
	Writer() lock.Locker
}

func TestAnUpgradeOfAStrangerWaitsForItself(t *testing.T) {
	for name, c := range map[string]struct {
		construct func(redislock.Client) (readWrite, error)
		refused   bool // at once, with redislock.ErrUpgrade
	}{
		"UpgradeAsStranger": {func(rdb redislock.Client) (readWrite, error) {
			return antipattern.NewUpgradeAsStranger(rdb, redislock.Config{})
		}, false},
		"ReadWrite": {func(rdb redislock.Client) (readWrite, error) {
			return redislock.NewReadWrite(rdb, redislock.Config{})
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			inVirtualTime(t, func(t *testing.T, w *world) {
				rw, err := c.construct(w.client(nil))
				if err != nil {
					t.Fatal(err)
				}
				me := lock.WithOwner("me")
				reads, err := rw.Reader().Acquire(t.Context(), key, me)
				if err != nil {
					t.Fatal(err)
				}
				start := time.Now()
				ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
				defer cancel()
				_, err = rw.Writer().Acquire(ctx, key, me)
				if !errors.Is(err, lock.ErrNotAcquired) || errors.Is(err, redislock.ErrUpgrade) != c.refused {
					t.Errorf("upgrade: %v", err)
				}
				if waited := time.Since(start); (waited == 0) != c.refused {
					t.Errorf("waited for %v", waited)
				}
				if err := reads.Release(t.Context()); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

func TestACountedPermitDiesWithItsHolder(t *testing.T) {
	const permits = 2
	for name, c := range map[string]struct {
		construct maker
		comesBack bool
	}{
		"CountedPermits": {as(func(rdb redislock.Client, cfg redislock.Config) (lock.Locker, error) {
			return antipattern.NewCountedPermits(rdb, permits, cfg)
		}), false},
		"Semaphore": {as(func(rdb redislock.Client, cfg redislock.Config) (lock.Locker, error) {
			return redislock.NewSemaphore(rdb, permits, cfg)
		}), true},
	} {
		t.Run(name, func(t *testing.T) {
			inVirtualTime(t, func(t *testing.T, w *world) {
				cfg := redislock.Config{TTL: time.Second}
				lives := w.lock(c.construct, cfg, nil)
				held := acquire(t, lives)
				dies := cfg
				dies.NoRenew = true
				acquire(t, w.lock(c.construct, dies, nil))
				if _, err := lives.TryAcquire(t.Context(), key); !errors.Is(err, lock.ErrNotAcquired) {
					t.Fatalf("a third of two permits: %v", err)
				}
				pass(time.Minute)
				lease, err := lives.TryAcquire(t.Context(), key)
				if (err == nil) != c.comesBack {
					t.Errorf("a minute after the holder has died: %v", err)
				}
				if err == nil {
					_ = lease.Release(t.Context())
				}
				if err := held.Release(t.Context()); err != nil {
					t.Error(err)
				}
			})
		})
	}
}
