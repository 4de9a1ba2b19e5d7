package redislock

import (
	"fmt"
	"time"

	"github.com/lockstep-sim/lockstep/impl/clock"
	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/redislock/internal/engine"
	"github.com/lockstep-sim/lockstep/impl/redislock/internal/mutex"
)

// Redlock grants every key to one owner at a time, by a majority of independent
// Redis servers: the algorithm of
// https://redis.io/docs/latest/develop/use/patterns/distributed-locks/. It
// implements lock.Locker, and its leases implement lock.Renewer.
//
// An attempt asks all servers at the same time, each for no longer than
// Config.RequestTimeout, so that a dead one does not eat up the lease. It
// succeeds if more than half of them grant it and something is left of the
// validity, which is
//
//	TTL − time since before the first request − drift
//	drift = 1 % of the TTL + 2 ms
//
// where 1 % is for clocks of different speed and 2 ms for the granularity of
// expiry, as in redlock-rb, the implementation of the author of the algorithm. If
// not, it is taken back on all servers, those that refused it or did not answer
// among them, since their answer may only have been lost. Renewal and release
// need the majority as well.
//
// # No fencing tokens
//
// The servers do not know of each other, so none of them can number the grants:
// two majorities may count differently. Without tokens a holder that was paused
// can write after its lease has ended, and nobody can tell. The algorithm also
// relies on bounds that nothing enforces: a server whose clock jumps, or that
// restarts without its data before the TTL has passed, can help a second owner to
// a majority. See Martin Kleppmann, "How to do distributed locking" (8 February
// 2016), and Salvatore Sanfilippo, "Is Redlock safe?" (9 February 2016).
type Redlock struct{ locker }

const (
	// redlockPoll is the default of Config.Poll for a Redlock.
	redlockPoll = 100 * time.Millisecond
	// The bounds of the default for Config.RequestTimeout, after the range
	// that the description of the algorithm names for a TTL of 10 s.
	minNodeTimeout = 5 * time.Millisecond
	maxNodeTimeout = 50 * time.Millisecond
	// nodeShare of the TTL is that default between the bounds.
	nodeShare = 20
)

// NewRedlock makes a lock on the given servers, which must not be replicas of
// each other. An odd number of them, at least three, makes sense. It sends
// nothing.
//
// Config.RequestTimeout bounds the request to one server; zero means a twentieth
// of the TTL, but 5 ms at least and 50 ms at most. Config.Poll is the mean time
// between two attempts of one that waits, each of which is between a half and one
// and a half of it, so that contenders do not share out the servers between them
// again and again; zero means 100 ms. There are no notifications. A setting that
// cannot work, and Config.Fencing, is lock.ErrInvalid.
func NewRedlock(servers []Client, cfg Config) (*Redlock, error) {
	if len(servers) == 0 {
		return nil, fmt.Errorf("redislock: %w: a Redlock needs servers", lock.ErrInvalid)
	}
	if err := refuseFencing(cfg, "independent servers cannot number the grants"); err != nil {
		return nil, err
	}
	if cfg.Poll == 0 {
		cfg.Poll = redlockPoll
	}
	p := &redlock{clk: clock.Or(cfg.Clock), poll: cfg.Poll, timeout: cfg.RequestTimeout}
	for i, rdb := range servers {
		if rdb == nil {
			return nil, fmt.Errorf("redislock: %w: server %d of the Redlock has no client", lock.ErrInvalid, i+1)
		}
		p.nodes = append(p.nodes, mutex.Protocol{Conn: engine.NewConn(rdb, cfg.Clock)})
	}
	// The longest wait that the engine allows is not to cut the random one.
	cfg.Poll = 2 * cfg.Poll
	e, err := engine.NewSilent(p, engine.Config(cfg))
	if err != nil {
		return nil, err
	}
	e.Drift = drift
	return &Redlock{locker{e}}, nil
}

// drift is how much earlier than the servers a holder must take its lease to
// end. See [Redlock].
func drift(ttl time.Duration) time.Duration { return ttl/100 + 2*time.Millisecond }
