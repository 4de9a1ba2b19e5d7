package redislock_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockstep-sim/lockstep/impl/embedded/redisd"
	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/locktest"
	"github.com/lockstep-sim/lockstep/impl/redislock"
	"github.com/lockstep-sim/lockstep/internal/realserver"
)

// kinds are the locks of this package that one owner holds at a time.
var kinds = map[string]struct {
	make    func(rdb redislock.Client, cfg redislock.Config) (lock.Locker, error)
	caps    locktest.Capabilities
	waiting func(ctx context.Context, rdb *redis.Client, key string) int64
}{
	"mutex": {
		make:    func(rdb redislock.Client, cfg redislock.Config) (lock.Locker, error) { return redislock.New(rdb, cfg) },
		caps:    locktest.Capabilities{Fencing: true},
		waiting: listeners,
	},
	"fair": {
		make: func(rdb redislock.Client, cfg redislock.Config) (lock.Locker, error) {
			return redislock.NewFair(rdb, cfg)
		},
		caps: locktest.Capabilities{Fencing: true, Fair: true},
		waiting: func(ctx context.Context, rdb *redis.Client, key string) int64 {
			return rdb.LLen(ctx, "{"+key+"}:queue").Val()
		},
	},
	"reentrant": {
		make: func(rdb redislock.Client, cfg redislock.Config) (lock.Locker, error) {
			return redislock.NewReentrant(rdb, cfg)
		},
		caps:    locktest.Capabilities{Fencing: true, Reentrant: true},
		waiting: listeners,
	},
	"writer": {
		make: func(rdb redislock.Client, cfg redislock.Config) (lock.Locker, error) {
			rw, err := redislock.NewReadWrite(rdb, cfg)
			if err != nil {
				return nil, err
			}
			return rw.Writer(), nil
		},
		caps:    locktest.Capabilities{Fencing: true, Reentrant: true},
		waiting: listeners,
	},
	"semaphore of one": {
		make: func(rdb redislock.Client, cfg redislock.Config) (lock.Locker, error) {
			return redislock.NewSemaphore(rdb, 1, cfg)
		},
		waiting: listeners,
	},
}

func listeners(ctx context.Context, rdb *redis.Client, key string) int64 {
	channel := "{" + key + "}:released"
	return rdb.PubSubNumSub(ctx, channel).Val()[channel]
}

func TestConformance(t *testing.T) {
	for name, kind := range kinds {
		t.Run(name, func(t *testing.T) {
			start := func(options func(t *testing.T) *redis.Options) func(t *testing.T) locktest.Backend {
				return func(t *testing.T) locktest.Backend {
					o := options(t)
					admin := connect(t, o)
					return locktest.Backend{
						Client: func(t *testing.T) (lock.Locker, func()) {
							rdb := connect(t, o)
							cfg := redislock.Config{TTL: conformanceTTL, Poll: conformanceTTL / 3, Fencing: kind.caps.Fencing}
							l, err := kind.make(rdb, cfg)
							if err != nil {
								t.Fatal(err)
							}
							return l, func() { _ = rdb.Close() }
						},
						Left:    func(t *testing.T) []string { return locks(t, admin) },
						Waiting: func(t *testing.T, key string) int { return int(kind.waiting(t.Context(), admin, key)) },
					}
				}
			}
			caps := kind.caps
			caps.TTL = conformanceTTL
			t.Run("miniredis", func(t *testing.T) {
				locktest.Run(t, locktest.Suite{Capabilities: caps, In: synctest.Test, Start: start(inMemory)})
			})
			t.Run("redis-server", func(t *testing.T) {
				addr := realserver.Redis(t).Addr()
				locktest.Run(t, locktest.Suite{Capabilities: caps, Start: start(func(t *testing.T) *redis.Options {
					o := redisd.InMemory().Options()
					o.Addr, o.Dialer = addr, nil
					connect(t, o).FlushAll(t.Context())
					return o
				})})
			})
		})
	}
}

// conformanceTTL is waited out on a real server as well.
const conformanceTTL = 300 * time.Millisecond

func inMemory(t *testing.T) *redis.Options {
	server := redisd.InMemory()
	t.Cleanup(server.Close)
	return server.Options()
}

func connect(t *testing.T, o *redis.Options) *redis.Client {
	own := *o
	rdb := redis.NewClient(&own)
	t.Cleanup(func() { _ = rdb.Close() }) // a crash has closed it already
	return rdb
}

// locks are all keys but token counters.
func locks(t *testing.T, rdb *redis.Client) []string {
	all := rdb.Keys(t.Context(), "*").Val()
	return slices.DeleteFunc(all, func(k string) bool { return strings.HasSuffix(k, "}:token") })
}

func TestConformanceOfRedlock(t *testing.T) {
	const n = 3
	locktest.Run(t, locktest.Suite{
		Capabilities: locktest.Capabilities{TTL: conformanceTTL},
		In:           synctest.Test,
		Start: func(t *testing.T) locktest.Backend {
			var options []*redis.Options
			var admins []*redis.Client
			for range n {
				options = append(options, inMemory(t))
				admins = append(admins, connect(t, options[len(options)-1]))
			}
			return locktest.Backend{
				Client: func(t *testing.T) (lock.Locker, func()) {
					var servers []redislock.Client
					var crashes []func() error
					for _, o := range options {
						rdb := connect(t, o)
						servers, crashes = append(servers, rdb), append(crashes, rdb.Close)
					}
					l, err := redislock.NewRedlock(servers, redislock.Config{TTL: conformanceTTL, Poll: 10 * time.Millisecond})
					if err != nil {
						t.Fatal(err)
					}
					return l, func() {
						for _, crash := range crashes {
							_ = crash()
						}
					}
				},
				Left: func(t *testing.T) (left []string) {
					for _, admin := range admins {
						left = append(left, locks(t, admin)...)
					}
					return left
				},
			}
		},
	})
}
