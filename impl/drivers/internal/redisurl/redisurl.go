// Package redisurl reads the parameters that all drivers for Redis have. What
// does not belong here: connections, which differ.
package redisurl

import (
	"fmt"

	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/redislock"
)

// Config reads the settings of a lock: ttl, renew, poll and timeout.
func Config(p *lock.Params) redislock.Config {
	return redislock.Config{
		TTL:            p.Duration("ttl", 0),
		NoRenew:        !p.Bool("renew", true),
		Poll:           p.Duration("poll", 0),
		RequestTimeout: p.Duration("timeout", 0),
	}
}

// New makes the lock that the parameters describe: those of Config, fencing and
// kind, which is mutex, fair or reentrant.
func New(rdb redislock.Client, p *lock.Params) (lock.Locker, error) {
	cfg := Config(p)
	cfg.Fencing = p.Bool("fencing", false)
	kind := p.String("kind", "mutex")
	if err := p.Err(); err != nil {
		return nil, err
	}
	switch kind {
	case "mutex":
		return redislock.New(rdb, cfg)
	case "fair":
		return redislock.NewFair(rdb, cfg)
	case "reentrant":
		return redislock.NewReentrant(rdb, cfg)
	}
	return nil, fmt.Errorf("%w: kind=%s is none of mutex, fair and reentrant", lock.ErrInvalid, kind)
}
