package redislock_test

import (
	"context"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/lockstep-sim/lockstep/impl/embedded/redisd"
	"github.com/lockstep-sim/lockstep/impl/redislock"
	"github.com/lockstep-sim/lockstep/internal/realserver"
)

// onEachServer runs a benchmark on miniredis and on a real server, both behind
// a loopback port.
func onEachServer(b *testing.B, bench func(b *testing.B, options *redis.Options)) {
	b.Run("miniredis", func(b *testing.B) {
		server, err := redisd.Listen()
		if err != nil {
			b.Fatal(err)
		}
		defer server.Close()
		bench(b, server.Options())
	})
	b.Run("redis-server", func(b *testing.B) {
		o := redisd.InMemory().Options()
		o.Addr, o.Dialer = realserver.Redis(b).Addr(), nil
		bench(b, o)
	})
}

func benchMutex(b *testing.B, options *redis.Options, cfg redislock.Config) *redislock.Mutex {
	b.Helper()
	rdb := redis.NewClient(options)
	b.Cleanup(func() { _ = rdb.Close() })
	if err := redislock.Load(b.Context(), rdb); err != nil {
		b.Fatal(err)
	}
	m, err := redislock.New(rdb, cfg)
	if err != nil {
		b.Fatal(err)
	}
	return m
}

func lockAndUnlock(ctx context.Context, b *testing.B, m *redislock.Mutex) {
	lease, err := m.Acquire(ctx, key)
	if err != nil {
		b.Fatal(err)
	}
	if err := lease.Release(ctx); err != nil {
		b.Fatal(err)
	}
}

func BenchmarkLockUnlock(b *testing.B) {
	onEachServer(b, func(b *testing.B, options *redis.Options) {
		for name, fencing := range map[string]bool{"plain": false, "fencing": true} {
			b.Run(name, func(b *testing.B) {
				m := benchMutex(b, options, redislock.Config{Fencing: fencing})
				for b.Loop() {
					lockAndUnlock(b.Context(), b, m)
				}
			})
		}
	})
}

// BenchmarkBareRequests is what an uncontended lock and unlock are made of: SET
// with NX and PX, and the release script.
func BenchmarkBareRequests(b *testing.B) {
	onEachServer(b, func(b *testing.B, options *redis.Options) {
		rdb := redis.NewClient(options)
		defer rdb.Close()
		var script *redis.Script
		for _, s := range redislock.Scripts() {
			if s.Name == "release.lua" {
				script = redis.NewScript(s.Source)
			}
		}
		for b.Loop() {
			if err := rdb.Do(b.Context(), "SET", key, "owner", "NX", "PX", 30000).Err(); err != nil {
				b.Fatal(err)
			}
			if err := script.Run(b.Context(), rdb, []string{key}, "owner", "channel").Err(); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkHandOff is one grant, with its release, of a lock that another client
// wants all the time.
func BenchmarkHandOff(b *testing.B) {
	onEachServer(b, func(b *testing.B, options *redis.Options) {
		cfg := redislock.Config{}
		a, other := benchMutex(b, options, cfg), benchMutex(b, options, cfg)
		ctx, cancel := context.WithCancel(b.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			for ctx.Err() == nil {
				if lease, err := other.Acquire(ctx, key); err == nil {
					_ = lease.Release(b.Context())
				}
			}
		}()
		for b.Loop() {
			lockAndUnlock(b.Context(), b, a)
		}
		cancel()
		<-ended
	})
}
