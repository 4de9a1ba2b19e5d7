package antipattern

import (
	"context"
	"errors"

	"github.com/redis/go-redis/v9"

	"github.com/lockstep-sim/lockstep/impl/clock"
	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/redislock"
	"github.com/lockstep-sim/lockstep/impl/redislock/internal/engine"
)

// UnstoppedWatchdog is WRONG: its renewal belongs to nobody, so nothing stops
// it. It goes on after the release, and since it renews by key alone it keeps
// alive the lock of whoever comes next, even of one that has died. It ends with
// the process, or here when the client is closed. Instead: one watchdog for one
// lease, which compares the owner and is stopped and joined before the release.
//
// It implements lock.Locker.
type UnstoppedWatchdog struct{ *engine.Engine }

// NewUnstoppedWatchdog makes one; the arguments are those of redislock.New.
func NewUnstoppedWatchdog(rdb redislock.Client, cfg redislock.Config) (*UnstoppedWatchdog, error) {
	p := renewWithoutOwner{correct(rdb, cfg)}
	e, err := newEngine(rdb, p, cfg)
	if err != nil {
		return nil, err
	}
	clk := clock.Or(cfg.Clock)
	e.Watch = func(l *engine.Lease, r lock.Renewal) (stop func()) {
		clk.Go(func() { renewForEver(clk, p, l, r) })
		return func() {} // the mistake
	}
	return &UnstoppedWatchdog{e}, nil
}

// renewForEver keeps the key of the lease alive, and the lease while it lasts.
func renewForEver(clk clock.Clock, p engine.Protocol, l *engine.Lease, r lock.Renewal) {
	ctx := context.Background()
	for clk.Sleep(ctx, r.Every) == nil {
		sent := clk.Now()
		held, err := p.Renew(ctx, l.Claim())
		if errors.Is(err, redis.ErrClosed) {
			return
		}
		if held {
			l.Extend(sent.Add(l.Claim().TTL))
		}
	}
}
