package redis

import (
	"context"
	"fmt"

	"github.com/redis/go-redis/v9"

	"github.com/lockstep-sim/lockstep/impl/clock"
	"github.com/lockstep-sim/lockstep/impl/drivers/internal/handle"
	"github.com/lockstep-sim/lockstep/impl/drivers/internal/redisurl"
	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/redislock"
)

func openRedlock(ctx context.Context, a lock.Address) (lock.Client, error) {
	addrs, err := a.HostPorts(defaultPort)
	if err != nil {
		return nil, err
	}
	cfg := redisurl.Config(a.Params)
	if err := a.Params.Err(); err != nil {
		return nil, err
	}
	var clients []*redis.Client
	var closers []func() error
	for _, addr := range addrs {
		rdb, err := client(a, addr)
		if err != nil {
			_ = handle.CloseAll(closers)
			return nil, err
		}
		clients, closers = append(clients, rdb), append(closers, rdb.Close)
	}
	l, err := newRedlock(ctx, clients, cfg)
	if err != nil {
		_ = handle.CloseAll(closers) // the error above says what matters
		return nil, err
	}
	return handle.New(l, closers...), nil
}

func newRedlock(ctx context.Context, clients []*redis.Client, cfg redislock.Config) (*redislock.Redlock, error) {
	servers := make([]redislock.Client, len(clients))
	for i, rdb := range clients {
		servers[i] = rdb
	}
	l, err := redislock.NewRedlock(servers, cfg)
	if err != nil {
		return nil, err
	}
	return l, pingMajority(ctx, clients)
}

// pingMajority asks all servers at the same time: a few of them may be down.
func pingMajority(ctx context.Context, clients []*redis.Client) error {
	clk := clock.Real()
	errs := make([]error, len(clients))
	answered := make([]clock.Event, len(clients))
	for i, rdb := range clients {
		answered[i] = clk.NewEvent()
		clk.Go(func() {
			defer answered[i].Set()
			errs[i] = rdb.Ping(ctx).Err()
		})
	}
	up := 0
	var last error
	for i := range clients {
		// The deadline of ctx ends the request, and with it the wait.
		_ = answered[i].Wait(context.WithoutCancel(ctx), clock.NoLimit)
		if errs[i] == nil {
			up++
		} else {
			last = errs[i]
		}
	}
	if up < len(clients)/2+1 {
		return fmt.Errorf("%d of %d servers answer, which is no majority: %w", up, len(clients), last)
	}
	return nil
}
