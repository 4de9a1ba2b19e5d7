package redislock_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/redislock"
	"github.com/lockstep-sim/lockstep/internal/realserver"
)

// What only a server of its own process can show.

func TestAServerThatDiesEndsTheWaiting(t *testing.T) {
	onRealServer(t, func(t *testing.T, s *store, server *realserver.RedisServer) {
		a, _ := s.mutex(redislock.Config{TTL: long})
		b, w := s.mutex(redislock.Config{TTL: long, Poll: time.Hour})
		lease := acquire(t, a)
		waiting := start(t.Context(), b)
		s.settled(t, w, false)
		server.Kill()
		_, err := waiting.result(t)
		if !errors.Is(err, lock.ErrNotAcquired) {
			t.Errorf("Acquire = %v, want ErrNotAcquired", err)
		}
		if err := lease.Release(t.Context()); err == nil || errors.Is(err, lock.ErrNotHeld) {
			t.Errorf("Release = %v, want the failure of the connection", err)
		}
	})
}

func TestAServerThatRestartsEmptyLosesTheLock(t *testing.T) {
	onRealServer(t, func(t *testing.T, s *store, server *realserver.RedisServer) {
		a, _ := s.mutex(redislock.Config{TTL: long, RenewEvery: often})
		b, _ := s.mutex(redislock.Config{TTL: long})
		lease := acquire(t, a)
		server.Restart(t)
		<-lease.Done() // the next renewal finds out, long before the TTL
		if !errors.Is(lease.Err(), lock.ErrLost) {
			t.Errorf("Err = %v, want ErrLost", lease.Err())
		}
		next := acquire(t, b)
		if err := lease.Release(t.Context()); !errors.Is(err, lock.ErrNotHeld) {
			t.Errorf("Release = %v, want ErrNotHeld", err)
		}
		release(t, next)
	})
}

func TestAWaiterWhoseSubscriptionIsCutHearsTheRelease(t *testing.T) {
	onRealServer(t, func(t *testing.T, s *store, _ *realserver.RedisServer) {
		a, _ := s.mutex(redislock.Config{TTL: long})
		b, w := s.mutex(redislock.Config{TTL: long, Poll: time.Hour})
		lease := acquire(t, a)
		waiting := start(t.Context(), b)
		s.settled(t, w, false)
		w.forget()
		if err := s.admin.ClientKillByFilter(t.Context(), "TYPE", "pubsub").Err(); err != nil {
			t.Fatal(err)
		}
		eventually(t, "it subscribes again", func() bool { return s.subscribers(key) == 1 && w.count("PTTL") >= 1 })
		release(t, lease)
		next, err := waiting.result(t)
		if err != nil {
			t.Fatalf("Acquire = %v", err)
		}
		release(t, next)
	})
}

func TestAServerThatCannotBeUsedIsOneClearError(t *testing.T) {
	onRealServer(t, func(t *testing.T, s *store, server *realserver.RedisServer) {
		m, _ := s.mutex(redislock.Config{TTL: long})
		s.admin.ConfigSet(t.Context(), "requirepass", "secret")
		check := func(when string, because string) {
			t.Helper()
			ctx, cancel := context.WithTimeout(t.Context(), long)
			defer cancel()
			_, err := m.Acquire(ctx, key)
			if !errors.Is(err, lock.ErrNotAcquired) || errors.Is(err, lock.ErrUnknownOutcome) {
				t.Fatalf("%s: Acquire = %v, want ErrNotAcquired, since nothing was carried out", when, err)
			}
			if msg := err.Error(); !strings.Contains(msg, because) || strings.Contains(msg, "\n") {
				t.Errorf("%s: error %q, want one line with %q", when, msg, because)
			}
		}
		check("without the password", "NOAUTH")
		server.Kill()
		check("without a server", "connection refused")
	})
}
