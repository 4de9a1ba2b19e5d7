package antipattern

import (
	"context"
	"time"

	"github.com/lockstep-sim/lockstep/impl/redislock"
	"github.com/lockstep-sim/lockstep/impl/redislock/internal/engine"
	"github.com/lockstep-sim/lockstep/impl/redislock/internal/mutex"
)

// Polling is WRONG: a waiter asks again after every Config.Poll, whatever
// happens. A lock that was released lies idle for half of that on average, and
// every waiter costs requests as long as it waits; a shorter interval makes the
// one better and the other worse. Instead: subscribe to the release, and look
// again only then and when the holder's lease should have ended.
//
// It implements lock.Locker.
type Polling struct{ *engine.Engine }

// NewPolling makes one; the arguments are those of redislock.New.
func NewPolling(rdb redislock.Client, cfg redislock.Config) (*Polling, error) {
	if _, err := redislock.New(rdb, cfg); err != nil {
		return nil, err
	}
	e, err := engine.NewSilent(polling{correct(rdb, cfg)}, engine.Config(cfg))
	if err != nil {
		return nil, err
	}
	return &Polling{e}, nil
}

type polling struct{ mutex.Protocol }

// Remaining makes the mistake: it does not ask, so that Poll applies.
func (polling) Remaining(context.Context, engine.Claim, engine.Outcome) (time.Duration, error) {
	return -1, nil
}
