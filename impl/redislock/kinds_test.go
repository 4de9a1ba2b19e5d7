package redislock_test

import (
	"errors"
	"net"
	"slices"
	"testing"

	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/redislock"
)

// errReset is what a client sees of a connection that broke.
var errReset = &net.OpError{Op: "read", Err: errors.New("connection reset by peer")}

// locker returns a lock with a client of its own.
func locker[L any](s *store, f func(redislock.Client, redislock.Config) (L, error), cfg redislock.Config) (L, *wire) {
	s.t.Helper()
	rdb, w := s.client()
	l, err := f(rdb, cfg)
	if err != nil {
		s.t.Fatal(err)
	}
	return l, w
}

// left are the names of all keys but token counters.
func (s *store) left() []string {
	all := s.admin.Keys(s.t.Context(), "*").Val()
	return slices.DeleteFunc(all, func(k string) bool { return k == "{"+key+"}:token" })
}

func (s *store) checkNothingLeft() {
	s.t.Helper()
	if left := s.left(); len(left) > 0 {
		s.t.Errorf("left behind: %v", left)
	}
	eventually(s.t, "all subscriptions end", func() bool { return s.subscribers(key) == 0 })
}

// refused checks that a lock is not to be had now.
func refused(t *testing.T, l lock.Locker, opts ...lock.Option) {
	t.Helper()
	if lease, err := l.TryAcquire(t.Context(), key, opts...); !errors.Is(err, lock.ErrNotAcquired) {
		t.Fatalf("TryAcquire = %v, %v; want ErrNotAcquired", lease, err)
	}
}

// granted checks that a lock is to be had now.
func granted(t *testing.T, l lock.Locker, opts ...lock.Option) lock.Lease {
	t.Helper()
	lease, err := l.TryAcquire(t.Context(), key, opts...)
	if err != nil {
		t.Fatalf("TryAcquire = %v", err)
	}
	return lease
}

func releaseIs(t *testing.T, lease lock.Lease, want error) {
	t.Helper()
	if err := lease.Release(t.Context()); !errors.Is(err, want) {
		t.Errorf("Release = %v, want %v", err, want)
	}
}

func TestSettingsThatCannotWorkAreInvalid(t *testing.T) {
	rdb := struct{ redislock.Client }{}
	fencing := redislock.Config{Fencing: true}
	for name, try := range map[string]func() error{
		"no permits": func() error { _, err := redislock.NewSemaphore(rdb, 0, redislock.Config{}); return err },
		"a semaphore with tokens": func() error {
			_, err := redislock.NewSemaphore(rdb, 1, fencing)
			return err
		},
		"a latch with tokens": func() error { _, err := redislock.NewLatch(rdb, fencing); return err },
		"a Redlock with tokens": func() error {
			_, err := redislock.NewRedlock([]redislock.Client{rdb}, fencing)
			return err
		},
		"a Redlock without servers": func() error { _, err := redislock.NewRedlock(nil, redislock.Config{}); return err },
		"a Redlock without a client": func() error {
			_, err := redislock.NewRedlock([]redislock.Client{rdb, nil}, redislock.Config{})
			return err
		},
		"no client to read": func() error { _, err := redislock.NewReadWrite(nil, redislock.Config{}); return err },
		"a TTL too short": func() error {
			_, err := redislock.NewReentrant(rdb, redislock.Config{TTL: 1})
			return err
		},
		"a negative poll": func() error { _, err := redislock.NewFair(rdb, redislock.Config{Poll: -1}); return err },
	} {
		t.Run(name, func(t *testing.T) {
			if err := try(); !errors.Is(err, lock.ErrInvalid) {
				t.Errorf("error %v, want ErrInvalid", err)
			}
		})
	}
}
