package redislock_test

import (
	"errors"
	"net"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/lockstep-sim/lockstep/impl/embedded/redisd"
	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/redislock"
	"github.com/lockstep-sim/lockstep/internal/realserver"
)

func (s *store) replicated(replicas int, cfg redislock.Config) *redislock.Replicated {
	s.t.Helper()
	rdb, _ := s.client()
	l, err := redislock.NewReplicated(rdb, replicas, cfg)
	if err != nil {
		s.t.Fatal(err)
	}
	return l
}

func TestAGrantCountsWhenTheReplicaHasIt(t *testing.T) {
	onRealServer(t, func(t *testing.T, s *store, server *realserver.RedisServer) {
		replica := realserver.Redis(t)
		host, port, err := net.SplitHostPort(server.Addr())
		if err != nil {
			t.Fatal(err)
		}
		o := redisd.InMemory().Options()
		o.Addr, o.Dialer = replica.Addr(), nil
		second := redis.NewClient(o)
		defer second.Close()
		if err := second.ReplicaOf(t.Context(), host, port).Err(); err != nil {
			t.Fatal(err)
		}
		for _, fencing := range []bool{false, true} {
			cfg := redislock.Config{TTL: long, Fencing: fencing}
			l := s.replicated(1, cfg)
			var lease lock.Lease
			eventually(t, "the replica has connected", func() bool {
				lease, err = l.TryAcquire(t.Context(), key)
				return err == nil
			})
			if got := second.Get(t.Context(), key).Val(); got != lease.Owner() {
				t.Errorf("the replica has owner %q, want %q", got, lease.Owner())
			}
			refused(t, l)
			release(t, lease)

			_, err := s.replicated(2, redislock.Config{TTL: 20 * short, Fencing: fencing}).TryAcquire(t.Context(), key)
			if !errors.Is(err, redislock.ErrReplicas) || !errors.Is(err, lock.ErrNotAcquired) || errors.Is(err, lock.ErrUnknownOutcome) {
				t.Errorf("with one replica of two: %v, want ErrReplicas, and the grant taken back", err)
			}
			if got := s.owner(key); got != "" {
				t.Errorf("%q is left in the lock", got)
			}
		}
	})
}

func TestWithoutReplicasAGrantIsTakenBack(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *store) {
		_, err := s.replicated(1, redislock.Config{TTL: 20 * short}).Acquire(t.Context(), key)
		if !errors.Is(err, redislock.ErrReplicas) || !errors.Is(err, lock.ErrNotAcquired) {
			t.Errorf("Acquire = %v, want ErrReplicas and ErrNotAcquired", err)
		}
		s.checkNothingLeft()
		rdb, _ := s.client()
		if _, err := redislock.NewReplicated(rdb, 0, redislock.Config{}); !errors.Is(err, lock.ErrInvalid) {
			t.Errorf("no replicas: %v, want ErrInvalid", err)
		}
		if _, err := redislock.NewReplicated(nil, 1, redislock.Config{}); !errors.Is(err, lock.ErrInvalid) {
			t.Errorf("no client: %v, want ErrInvalid", err)
		}
	})
}
