package engine

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockstep-sim/lockstep/impl/clock"
	"github.com/lockstep-sim/lockstep/impl/lock"
)

const (
	defaultTTL            = 30 * time.Second
	defaultPoll           = 15 * time.Second
	defaultRequestTimeout = 3 * time.Second

	// minTTL keeps a third of the TTL, the bound on a request, well above the
	// round trip of a local network.
	minTTL = 10 * time.Millisecond
	// maxKey is far above any sensible name and far below what Redis takes.
	maxKey = 1024
)

// Client is the part of go-redis that the engine needs. See redislock.Client.
type Client interface {
	Process(ctx context.Context, cmd redis.Cmder) error
	Subscribe(ctx context.Context, channels ...string) *redis.PubSub
}

// Config has the fields of redislock.Config, which is converted to it and has
// the documentation.
type Config struct {
	Clock          clock.Clock
	TTL            time.Duration
	RenewEvery     time.Duration
	NoRenew        bool
	Fencing        bool
	Poll           time.Duration
	RequestTimeout time.Duration
	NewOwner       func() string
	TokenKey       func(key string) string
	Channel        func(key string) string
}

// withDefaults fills in what is zero and refuses what cannot work.
func (c Config) withDefaults() (Config, error) {
	c.Clock = clock.Or(c.Clock)
	c.TTL = orDefault(c.TTL, defaultTTL)
	c.Poll = orDefault(c.Poll, defaultPoll)
	c.RequestTimeout = orDefault(c.RequestTimeout, defaultRequestTimeout)
	if c.NewOwner == nil {
		c.NewOwner = rand.Text
	}
	if c.TokenKey == nil {
		c.TokenKey = func(key string) string { return sameSlot(key) + ":token" }
	}
	if c.Channel == nil {
		c.Channel = func(key string) string { return sameSlot(key) + ":released" }
	}
	if c.Poll < 0 || c.RequestTimeout < 0 || c.RenewEvery < 0 {
		return c, fmt.Errorf("%w: Poll %v, RequestTimeout %v and RenewEvery %v must not be negative",
			lock.ErrInvalid, c.Poll, c.RequestTimeout, c.RenewEvery)
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

// sameSlot returns key in a form whose derived names fall into the slot of key
// itself on Redis Cluster: a hash tag in key is kept, otherwise key becomes one.
func sameSlot(key string) string {
	if _, rest, found := strings.Cut(key, "{"); found && strings.Index(rest, "}") > 0 {
		return key
	}
	return "{" + key + "}"
}
