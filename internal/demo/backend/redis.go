package backend

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockstep-sim/lockstep/impl/embedded/redisd"
	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/redislock"
)

func startRedis(_ context.Context, b *Backend, ttl time.Duration) error {
	server, err := redisd.Listen()
	if err != nil {
		return err
	}
	b.close.add(func() error { server.Close(); return nil })
	renew := renewScript()
	b.connect = func(ctx context.Context) (lock.Locker, error) {
		rdb := server.Client()
		b.close.add(rdb.Close)
		if err := redislock.Load(ctx, rdb); err != nil {
			return nil, err
		}
		return redislock.New(countedRedis{rdb, &b.meter, renew}, redislock.Config{TTL: ttl})
	}
	return nil
}

// renewScript is the digest of the script that prolongs a lease.
func renewScript() string {
	for _, s := range redislock.Scripts() {
		if s.Name == "renew.lua" {
			return s.SHA
		}
	}
	return ""
}

// countedRedis is a client whose commands are counted.
type countedRedis struct {
	redislock.Client
	meter *meter
	renew string
}

// Process implements redislock.Client.
func (c countedRedis) Process(ctx context.Context, cmd redis.Cmder) error {
	args := cmd.Args()
	c.meter.count(len(args) > 1 && args[1] == c.renew)
	return c.Client.Process(ctx, cmd)
}

// Subscribe implements redislock.Client.
func (c countedRedis) Subscribe(ctx context.Context, channels ...string) *redis.PubSub {
	c.meter.count(false)
	return c.Client.Subscribe(ctx, channels...)
}
