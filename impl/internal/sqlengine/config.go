package sqlengine

import (
	"crypto/rand"
	"fmt"
	mathrand "math/rand/v2"
	"time"

	"github.com/lockstep-sim/lockstep/impl/clock"
	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/sqllock/dialect"
)

const (
	defaultTTL            = 30 * time.Second
	defaultRequestTimeout = 3 * time.Second
	defaultPollMin        = 10 * time.Millisecond
	defaultPollMax        = 500 * time.Millisecond

	// minTTL keeps a third of the TTL, the bound on a request, above the round
	// trip of a local network.
	minTTL = 10 * time.Millisecond
)

// Config says how leases behave. Its fields are documented where they are
// public: sqllock.Config and rowlock.RecordConfig.
type Config struct {
	Name      string // of the package, for errors
	Dialect   dialect.Dialect
	Reentrant bool // whether a caller may name the owner

	Clock          clock.Clock
	TTL            time.Duration
	RenewEvery     time.Duration
	NoRenew        bool
	RequestTimeout time.Duration
	PollMin        time.Duration
	PollMax        time.Duration
	Rand           func() float64
	NewOwner       func() string
}

func (c Config) withDefaults() (Config, error) {
	c.Clock = clock.Or(c.Clock)
	c.TTL = orDefault(c.TTL, defaultTTL)
	c.RequestTimeout = orDefault(c.RequestTimeout, defaultRequestTimeout)
	c.PollMin = orDefault(c.PollMin, defaultPollMin)
	c.PollMax = max(orDefault(c.PollMax, defaultPollMax), c.PollMin)
	if c.Rand == nil {
		c.Rand = mathrand.Float64
	}
	if c.NewOwner == nil {
		c.NewOwner = rand.Text
	}
	if c.RequestTimeout < 0 || c.RenewEvery < 0 || c.PollMin < 0 {
		return c, fmt.Errorf("%w: RequestTimeout %v, RenewEvery %v and PollMin %v must not be negative",
			lock.ErrInvalid, c.RequestTimeout, c.RenewEvery, c.PollMin)
	}
	if c.Dialect.Kind() == "" {
		return c, fmt.Errorf("%w: no dialect given", lock.ErrInvalid)
	}
	return c, c.checkTTL(c.TTL)
}

func (c Config) checkTTL(ttl time.Duration) error {
	if ttl < minTTL {
		return fmt.Errorf("%w: TTL %v is below the minimum of %v", lock.ErrInvalid, ttl, minTTL)
	}
	if c.RenewEvery >= ttl {
		return fmt.Errorf("%w: RenewEvery %v must be shorter than the TTL %v", lock.ErrInvalid, c.RenewEvery, ttl)
	}
	return nil
}

// renewEvery is the time between two renewals of a lease of length ttl.
func (c Config) renewEvery(ttl time.Duration) time.Duration {
	return orDefault(c.RenewEvery, ttl/3)
}

// requestTimeout bounds one request on behalf of a lease of length ttl. Never
// more than a third, so that a lost request leaves time for another.
func (c Config) requestTimeout(ttl time.Duration) time.Duration {
	return min(c.RequestTimeout, ttl/3)
}

func orDefault(d, otherwise time.Duration) time.Duration {
	if d == 0 {
		return otherwise
	}
	return d
}
