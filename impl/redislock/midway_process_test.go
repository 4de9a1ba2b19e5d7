package redislock_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/redislock"
	"github.com/lockstep-sim/lockstep/internal/realserver"
)

// What happens when the connection or the server goes while the server has a
// request that it has not carried out.

// midway is for locks whose requests may wait as long as a test likes.
func midway(fencing bool) redislock.Config {
	return redislock.Config{TTL: long, RequestTimeout: long / 3, Fencing: fencing}
}

// acquiring is what asks for a lock, with tokens and without.
var acquiring = map[string]bool{"set": false, "evalsha": true}

// strike makes the server keep all requests that write, starts f, waits until
// the server has the command of that name, and then lets blow do what it does.
// It returns what f returns.
func (s *store) strike(t *testing.T, command string, f func() error, blow func()) error {
	t.Helper()
	if err := s.admin.Do(t.Context(), "CLIENT", "PAUSE", long.Milliseconds(), "WRITE").Err(); err != nil {
		t.Fatal(err)
	}
	result := make(chan error, 1)
	go func() { result <- f() }()
	eventually(t, "the server has "+command, func() bool {
		return strings.Contains(s.admin.ClientList(t.Context()).Val(), " cmd="+command+" ")
	})
	blow()
	return <-result
}

// cut ends all connections but that of the test itself, with the requests that
// came through them, and goes on.
func (s *store) cut(t *testing.T) {
	t.Helper()
	if err := s.admin.ClientKillByFilter(t.Context(), "TYPE", "normal", "SKIPME", "yes").Err(); err != nil {
		t.Error(err)
	}
	if err := s.admin.ClientUnpause(t.Context()).Err(); err != nil {
		t.Error(err)
	}
}

func TestAConnectionThatIsCutWhileAcquiringLeavesNothing(t *testing.T) {
	for command, fencing := range acquiring {
		t.Run(command, func(t *testing.T) {
			onRealServer(t, func(t *testing.T, s *store, _ *realserver.RedisServer) {
				m, w := s.mutex(midway(fencing))
				err := s.strike(t, command, func() error {
					_, err := m.Acquire(t.Context(), key)
					return err
				}, func() { s.cut(t) })
				if !errors.Is(err, lock.ErrNotAcquired) || errors.Is(err, lock.ErrUnknownOutcome) {
					t.Errorf("Acquire = %v, want ErrNotAcquired and no doubt, after the clean-up", err)
				}
				if n := w.count("release.lua"); n != 1 || s.owner(key) != "" {
					t.Errorf("%d clean-ups, the key holds %q; want one, and nothing", n, s.owner(key))
				}
				release(t, acquire(t, m))
			})
		})
	}
}

func TestAServerThatDiesWhileAcquiringLeavesDoubt(t *testing.T) {
	for command, fencing := range acquiring {
		t.Run(command, func(t *testing.T) {
			onRealServer(t, func(t *testing.T, s *store, server *realserver.RedisServer) {
				m, _ := s.mutex(midway(fencing))
				err := s.strike(t, command, func() error {
					_, err := m.Acquire(t.Context(), key)
					return err
				}, server.Kill)
				if !errors.Is(err, lock.ErrNotAcquired) || !errors.Is(err, lock.ErrUnknownOutcome) {
					t.Errorf("Acquire = %v, want ErrNotAcquired and ErrUnknownOutcome", err)
				}
				if err != nil && !strings.Contains(err.Error(), long.String()) {
					t.Errorf("Acquire = %v, which does not say that the lock may last for %v", err, long)
				}
				server.Restart(t)
				release(t, acquire(t, m)) // on fresh connections, at the same address
			})
		})
	}
}

func TestAConnectionThatIsCutWhileReleasing(t *testing.T) {
	onRealServer(t, func(t *testing.T, s *store, _ *realserver.RedisServer) {
		m, _ := s.mutex(midway(false))
		lease := acquire(t, m)
		err := s.strike(t, "evalsha", func() error { return lease.Release(t.Context()) }, func() { s.cut(t) })
		if !errors.Is(err, lock.ErrUnknownOutcome) || errors.Is(err, lock.ErrNotHeld) {
			t.Errorf("Release = %v, want ErrUnknownOutcome", err)
		}
		if !errors.Is(lease.Err(), lock.ErrReleased) {
			t.Errorf("the lease says %v, want ErrReleased: nothing renews it", lease.Err())
		}
		// It was not carried out. The lock stands until the release is repeated,
		// or its time is over.
		refused(t, m)
		release(t, lease)
		release(t, acquire(t, m))
	})
}

func TestAServerThatDiesWhileReleasing(t *testing.T) {
	onRealServer(t, func(t *testing.T, s *store, server *realserver.RedisServer) {
		m, _ := s.mutex(midway(false))
		lease := acquire(t, m)
		err := s.strike(t, "evalsha", func() error { return lease.Release(t.Context()) }, server.Kill)
		if !errors.Is(err, lock.ErrUnknownOutcome) || errors.Is(err, lock.ErrNotHeld) {
			t.Errorf("Release = %v, want ErrUnknownOutcome", err)
		}
		server.Restart(t)
		newer := acquire(t, m)
		releaseIs(t, lease, lock.ErrNotHeld)
		if got := s.owner(key); got != newer.Owner() {
			t.Errorf("the key holds %q, want the newer %q", got, newer.Owner())
		}
		release(t, newer)
	})
}
