//go:build unix

package redislock_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"

	"github.com/lockstep-sim/lockstep/impl/fencing"
	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/redislock"
	"github.com/lockstep-sim/lockstep/internal/holdertest"
	"github.com/lockstep-sim/lockstep/internal/realserver"
)

// The lease of a holder in another process is short enough to be waited out, and
// renewed so often that it outlasts the pauses of a slow machine.
const (
	holderTTL    = 1200 * time.Millisecond
	holderRenews = 100 * time.Millisecond
)

func init() { holdertest.RunIfHolder(openHolder) }

// openHolder opens the kind of lock named first on the server named second.
func openHolder(_ context.Context, args []string) (lock.Locker, error) {
	logging.Disable()
	rdb := redis.NewClient(&redis.Options{Addr: args[1], ContextTimeoutEnabled: true})
	return holderKinds[args[0]].open(rdb, redislock.Config{TTL: holderTTL, RenewEvery: holderRenews, Fencing: true})
}

// holderKind is a kind of lock, and how its lease stands in Redis.
type holderKind struct {
	open func(redislock.Client, redislock.Config) (lock.Locker, error)
	look func(context.Context, *redis.Client) (holdertest.Standing, error)
}

var holderKinds = map[string]holderKind{
	"mutex": {
		func(c redislock.Client, cfg redislock.Config) (lock.Locker, error) { return redislock.New(c, cfg) },
		lookAtValue,
	},
	"fair": {
		func(c redislock.Client, cfg redislock.Config) (lock.Locker, error) { return redislock.NewFair(c, cfg) },
		lookAtValue,
	},
	"reentrant": {
		func(c redislock.Client, cfg redislock.Config) (lock.Locker, error) {
			return redislock.NewReentrant(c, cfg)
		},
		lookAtHash,
	},
	"writer": {
		func(c redislock.Client, cfg redislock.Config) (lock.Locker, error) {
			rw, err := redislock.NewReadWrite(c, cfg)
			if err != nil {
				return nil, err
			}
			return rw.Writer(), nil
		},
		lookAtSet,
	},
}

// lookAtValue is for a key with the owner as its value.
func lookAtValue(ctx context.Context, rdb *redis.Client) (holdertest.Standing, error) {
	tx := rdb.TxPipeline()
	owner, ends := tx.Get(ctx, key), tx.PExpireTime(ctx, key)
	_, err := tx.Exec(ctx)
	return standing(owner.Val(), ends.Val()), err
}

// lookAtHash is for a hash with a field for the owner and one for its hold,
// which begins with the owner.
func lookAtHash(ctx context.Context, rdb *redis.Client) (holdertest.Standing, error) {
	tx := rdb.TxPipeline()
	fields, ends := tx.HKeys(ctx, key), tx.PExpireTime(ctx, key)
	_, err := tx.Exec(ctx)
	owner, _, _ := strings.Cut(strings.Join(fields.Val(), ":"), ":")
	return standing(owner, ends.Val()), err
}

// lookAtSet is for a sorted set of holds, "LENGTH:OWNER:HOLD", by their end.
func lookAtSet(ctx context.Context, rdb *redis.Client) (holdertest.Standing, error) {
	holds, err := rdb.ZRevRangeWithScores(ctx, key, 0, 0).Result()
	if err != nil || len(holds) == 0 {
		return holdertest.Standing{}, err
	}
	owner := strings.Split(holds[0].Member.(string), ":")[1]
	return standing(owner, time.Duration(holds[0].Score)*time.Millisecond), nil
}

// standing has the end of a lease as Redis tells it, since 1970.
func standing(owner string, ends time.Duration) holdertest.Standing {
	return holdertest.Standing{Owner: owner, Ends: time.UnixMilli(ends.Milliseconds())}
}

func onEachKind(t *testing.T, test func(*testing.T, holdertest.Backend)) {
	for name, kind := range holderKinds {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // most of the time is waiting
			onRealServer(t, func(t *testing.T, s *store, server *realserver.RedisServer) {
				rdb, _ := s.client()
				next, err := kind.open(rdb, redislock.Config{Fencing: true, Poll: time.Hour})
				if err != nil {
					t.Fatal(err)
				}
				resource := fencing.NewResource(nil)
				test(t, holdertest.Backend{
					Key: key, Args: []string{name, server.Addr()}, TTL: holderTTL, Next: next,
					Look:  func(t testing.TB) holdertest.Standing { return s.look(t, kind) },
					Write: func(value int64, token lock.Token) error { return resource.Write("stock", value, token) },
				})
			})
		})
	}
}

func (s *store) look(t testing.TB, kind holderKind) holdertest.Standing {
	t.Helper()
	found, err := kind.look(context.Background(), s.admin)
	if err != nil && !errors.Is(err, redis.Nil) { // which says that nobody holds it
		t.Fatal(err)
	}
	return found
}

func TestAKilledHolderIsSucceededAtTheEndOfItsLease(t *testing.T) {
	onEachKind(t, func(t *testing.T, b holdertest.Backend) { b.KilledHolder(t) })
}

func TestAStoppedHolderFindsItselfSucceeded(t *testing.T) {
	onEachKind(t, func(t *testing.T, b holdertest.Backend) { b.StoppedHolder(t) })
}
