package redislock_test

import (
	"errors"
	"testing"

	"github.com/lockstep-sim/lockstep/impl/fencing"
	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/redislock"
)

func token(t *testing.T, lease lock.Lease) lock.Token {
	t.Helper()
	got, ok := lease.Token()
	if !ok {
		t.Fatal("the lease has no token")
	}
	return got
}

func TestTokensGrowFromGrantToGrant(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *store) {
		a, _ := s.mutex(redislock.Config{TTL: long, Fencing: true})
		b, _ := s.mutex(redislock.Config{TTL: short, Fencing: true, NoRenew: true})
		last := lock.Token(0)
		for i, m := range []lock.Locker{a, b, b, a} { // b's leases end by time
			lease := acquire(t, m)
			if got := token(t, lease); got <= last {
				t.Errorf("grant %d has token %d after %d", i, got, last)
			}
			last = token(t, lease)
			if m == lock.Locker(a) {
				release(t, lease)
			}
		}
		if ttl := s.pttl("{" + key + "}:token"); ttl != -1 {
			t.Errorf("the token counter has PTTL %v, want none", ttl)
		}
	})
}

func TestRefusedAttemptsCostNoToken(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *store) {
		m, _ := s.mutex(redislock.Config{TTL: long, Fencing: true})
		first := acquire(t, m)
		for range 3 {
			if _, err := m.TryAcquire(t.Context(), key); !errors.Is(err, lock.ErrNotAcquired) {
				t.Fatalf("TryAcquire = %v, want ErrNotAcquired", err)
			}
		}
		release(t, first)
		second := acquire(t, m)
		if token(t, second) != token(t, first)+1 {
			t.Errorf("tokens %d, then %d", token(t, first), token(t, second))
		}
		release(t, second)
	})
}

func TestACounterThatFailsGrantsNothing(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *store) {
		s.admin.Set(t.Context(), "{"+key+"}:token", "not a number", 0)
		m, _ := s.mutex(redislock.Config{TTL: long, Fencing: true})
		_, err := m.Acquire(t.Context(), key)
		if !errors.Is(err, lock.ErrNotAcquired) || errors.Is(err, lock.ErrUnknownOutcome) {
			t.Errorf("Acquire = %v, want ErrNotAcquired", err)
		}
		if s.owner(key) != "" {
			t.Errorf("left behind: %q", s.owner(key))
		}
	})
}

func TestWithoutFencingThereIsNoToken(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *store) {
		m, _ := s.mutex(redislock.Config{TTL: long})
		lease := acquire(t, m)
		if got, ok := lease.Token(); ok {
			t.Errorf("token %d without Fencing", got)
		}
		release(t, lease)
		if keys := s.admin.Keys(t.Context(), "*").Val(); len(keys) != 0 {
			t.Errorf("left behind: %v", keys)
		}
	})
}

func TestAStaleHolderIsRefusedByTheResource(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *store) {
		a, _ := s.mutex(redislock.Config{TTL: short, Fencing: true, NoRenew: true})
		b, _ := s.mutex(redislock.Config{TTL: long, Fencing: true})
		stock := fencing.NewResource(map[string]int64{"stock": 10})
		stale := acquire(t, a)
		lease := acquire(t, b)
		if err := stock.Write("stock", 7, token(t, lease)); err != nil {
			t.Errorf("write of the holder = %v", err)
		}
		if err := stock.Write("stock", 9, token(t, stale)); !errors.Is(err, fencing.ErrStale) {
			t.Errorf("write of the stale holder = %v, want ErrStale", err)
		}
		if got := stock.Read("stock"); got != 7 {
			t.Errorf("stock = %d, want the holder's 7", got)
		}
		release(t, lease)
	})
}

func TestNamesOfKeysCanBeChosen(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *store) {
		m, _ := s.mutex(redislock.Config{
			TTL: long, Fencing: true,
			TokenKey: func(key string) string { return "tokens/" + key },
			Channel:  func(key string) string { return "news/" + key },
			NewOwner: func() string { return "the owner" },
		})
		news := s.admin.Subscribe(t.Context(), "news/"+key)
		defer news.Close()
		if _, err := news.Receive(t.Context()); err != nil {
			t.Fatal(err)
		}
		lease := acquire(t, m)
		if got := s.admin.Get(t.Context(), "tokens/"+key).Val(); got != "1" || s.owner(key) != "the owner" {
			t.Errorf("counter %q, owner %q", got, s.owner(key))
		}
		release(t, lease)
		if msg, err := news.ReceiveMessage(t.Context()); err != nil || msg.Channel != "news/"+key {
			t.Errorf("announcement = %v, %v", msg, err)
		}
	})
}
