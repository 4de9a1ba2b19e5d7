package redislock_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/redislock"
)

func TestOneOwnerAtATime(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *store) {
		a, _ := s.mutex(redislock.Config{TTL: long})
		b, _ := s.mutex(redislock.Config{TTL: long})
		lease := acquire(t, a)
		if s.owner(key) != lease.Owner() || lease.Key() != key {
			t.Errorf("the key holds %q, the lease says owner %q of %q", s.owner(key), lease.Owner(), lease.Key())
		}
		if ttl := s.pttl(key); ttl <= long-time.Second || ttl > long {
			t.Errorf("PTTL = %v right after the grant, want about %v", ttl, long)
		}
		if _, err := b.TryAcquire(t.Context(), key); !errors.Is(err, lock.ErrNotAcquired) {
			t.Errorf("TryAcquire of a held lock = %v, want ErrNotAcquired", err)
		}
		other, err := b.TryAcquire(t.Context(), "lock:order:2")
		if err != nil {
			t.Fatalf("TryAcquire of another lock = %v", err)
		}
		release(t, other)
		release(t, lease)
		if s.owner(key) != "" {
			t.Errorf("after the release the key holds %q", s.owner(key))
		}
		if !errors.Is(lease.Err(), lock.ErrReleased) {
			t.Errorf("Err after the release = %v, want ErrReleased", lease.Err())
		}
		next, err := b.TryAcquire(t.Context(), key)
		if err != nil {
			t.Fatalf("TryAcquire of a released lock = %v", err)
		}
		if next.Owner() == lease.Owner() {
			t.Errorf("two grants have one owner %q", next.Owner())
		}
		release(t, next)
	})
}

func TestLockAndUnlockAreOneRequestEach(t *testing.T) {
	for name, want := range map[string][]string{
		"plain":   {"SET", "release.lua"},
		"fencing": {"acquire.lua", "release.lua"},
	} {
		t.Run(name, func(t *testing.T) {
			onEachStore(t, func(t *testing.T, s *store) {
				m, w := s.mutex(redislock.Config{TTL: long, Fencing: name == "fencing"})
				release(t, acquire(t, m))
				if got := w.requests(); !slices.Equal(got, want) {
					t.Errorf("requests = %v, want %v", got, want)
				}
			})
		})
	}
}

func TestScriptsNeedNotBeLoaded(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *store) {
		s.admin.ScriptFlush(t.Context())
		m, w := s.mutex(redislock.Config{TTL: long, Fencing: true})
		release(t, acquire(t, m))
		release(t, acquire(t, m))
		want := []string{"acquire.lua", "EVAL", "release.lua", "EVAL", "acquire.lua", "release.lua"}
		if got := w.requests(); !slices.Equal(got, want) {
			t.Errorf("requests = %v, want %v", got, want)
		}
	})
}

func TestTheSecondReleaseSaysNotHeld(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *store) {
		m, _ := s.mutex(redislock.Config{TTL: long})
		lease := acquire(t, m)
		release(t, lease)
		if err := lease.Release(t.Context()); !errors.Is(err, lock.ErrNotHeld) {
			t.Errorf("second Release = %v, want ErrNotHeld", err)
		}
	})
}

// The old handle on the same host, even in the same Mutex, cannot free the
// lock of its successor: the owner belongs to the grant, not to the host.
func TestAnOldHandleCannotFreeItsSuccessor(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *store) {
		m, _ := s.mutex(redislock.Config{TTL: long})
		old := acquire(t, m)
		release(t, old)
		successor := acquire(t, m)
		if err := old.Release(t.Context()); !errors.Is(err, lock.ErrNotHeld) {
			t.Errorf("Release of the old handle = %v, want ErrNotHeld", err)
		}
		if s.owner(key) != successor.Owner() {
			t.Errorf("the key holds %q, want the successor %q", s.owner(key), successor.Owner())
		}
		release(t, successor)
	})
}

func TestAKeyTakenByOthersIsNotFree(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *store) {
		s.admin.RPush(t.Context(), key, "a list, not a lock")
		m, _ := s.mutex(redislock.Config{TTL: long})
		if _, err := m.TryAcquire(t.Context(), key); !errors.Is(err, lock.ErrNotAcquired) {
			t.Errorf("TryAcquire of a key that is a list = %v, want ErrNotAcquired", err)
		}
	})
}

func TestWhatCannotWorkIsRefusedWithoutARequest(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *store) {
		m, w := s.mutex(redislock.Config{TTL: time.Second, RenewEvery: 300 * time.Millisecond})
		for name, try := range map[string]func() error{
			"empty key":         func() error { _, err := m.Acquire(t.Context(), ""); return err },
			"long key":          func() error { _, err := m.Acquire(t.Context(), strings.Repeat("k", 1025)); return err },
			"short TTL":         func() error { _, err := m.Acquire(t.Context(), key, lock.WithTTL(9*time.Millisecond)); return err },
			"negative TTL":      func() error { _, err := m.TryAcquire(t.Context(), key, lock.WithTTL(-1)); return err },
			"owner":             func() error { _, err := m.Acquire(t.Context(), key, lock.WithOwner("me")); return err },
			"renewed too late":  func() error { _, err := m.Acquire(t.Context(), key, lock.WithTTL(200*time.Millisecond)); return err },
			"config: short TTL": func() error { _, err := redislock.New(s.admin, redislock.Config{TTL: time.Millisecond}); return err },
			"config: negative":  func() error { _, err := redislock.New(s.admin, redislock.Config{Poll: -1}); return err },
			"config: renewal": func() error {
				_, err := redislock.New(s.admin, redislock.Config{TTL: time.Second, RenewEvery: time.Second})
				return err
			},
			"config: no client": func() error { _, err := redislock.New(nil, redislock.Config{}); return err },
		} {
			err := try()
			if !errors.Is(err, lock.ErrInvalid) {
				t.Errorf("%s: error = %v, want ErrInvalid", name, err)
			}
			if err != nil && strings.Contains(err.Error(), "\n") {
				t.Errorf("%s: error has more than one line: %q", name, err)
			}
		}
		if got := w.requests(); len(got) != 0 {
			t.Errorf("requests = %v, want none", got)
		}
	})
}

func TestAnEndedContextSendsNothing(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *store) {
		m, w := s.mutex(redislock.Config{TTL: long})
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		for name, acquire := range map[string]func(context.Context, string, ...lock.Option) (lock.Lease, error){
			"Acquire": m.Acquire, "TryAcquire": m.TryAcquire,
		} {
			_, err := acquire(ctx, key)
			if !errors.Is(err, lock.ErrNotAcquired) || !errors.Is(err, context.Canceled) {
				t.Errorf("%s = %v, want ErrNotAcquired and context.Canceled", name, err)
			}
		}
		if got := w.requests(); len(got) != 0 {
			t.Errorf("requests = %v, want none", got)
		}
	})
}

func TestTheContextOfAcquireDoesNotEndTheLease(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *store) {
		m, w := s.mutex(redislock.Config{TTL: long, RenewEvery: often})
		ctx, cancel := context.WithCancel(t.Context())
		lease, err := m.Acquire(ctx, key)
		if err != nil {
			t.Fatal(err)
		}
		cancel()
		eventually(t, "renewals", func() bool { return w.count("renew.lua") >= 4 })
		if lease.Err() != nil || s.owner(key) != lease.Owner() {
			t.Errorf("lease ended with %v, the key holds %q", lease.Err(), s.owner(key))
		}
		release(t, lease)
	})
}

func TestDoHoldsTheLockAndGivesItBack(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *store) {
		m, _ := s.mutex(redislock.Config{TTL: long})
		failure := errors.New("work failed")
		err := lock.Do(t.Context(), m, key, func(context.Context) error {
			if s.owner(key) == "" {
				t.Error("the lock is not held during the work")
			}
			return failure
		})
		if !errors.Is(err, failure) || s.owner(key) != "" {
			t.Errorf("Do = %v, the key then holds %q", err, s.owner(key))
		}
	})
}
