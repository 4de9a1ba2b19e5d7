package engine

import (
	"crypto/rand"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/consul/api"

	"github.com/lockstep-sim/lockstep/impl/clock"
	"github.com/lockstep-sim/lockstep/impl/lock"
)

// NoLockDelay is consullock.NoLockDelay.
const NoLockDelay time.Duration = -1

const (
	defaultTTL            = 15 * time.Second
	defaultMinTTL         = 10 * time.Second
	maxTTL                = 24 * time.Hour
	defaultLockDelay      = 15 * time.Second
	maxLockDelay          = 60 * time.Second
	defaultDelayPoll      = time.Second
	defaultWait           = time.Minute
	maxWait               = 10 * time.Minute
	defaultRequestTimeout = 3 * time.Second
	defaultName           = "consullock"

	// maxKey keeps a key well within what the URL of a request can hold.
	maxKey = 512
)

// Config has the fields of consullock.Config, which is converted to it and has
// the documentation.
type Config struct {
	Clock          clock.Clock
	TTL            time.Duration
	MinTTL         time.Duration
	LockDelay      time.Duration
	Behavior       string
	DelayPoll      time.Duration
	Wait           time.Duration
	RequestTimeout time.Duration
	Name           string
	NewOwner       func() string
}

// withDefaults fills in what is zero and refuses what cannot work.
func (c Config) withDefaults() (Config, error) {
	c.Clock = clock.Or(c.Clock)
	c.TTL = orDefault(c.TTL, defaultTTL)
	c.MinTTL = orDefault(c.MinTTL, defaultMinTTL)
	c.LockDelay = orDefault(c.LockDelay, defaultLockDelay)
	c.Behavior = orDefault(c.Behavior, api.SessionBehaviorRelease)
	c.DelayPoll = orDefault(c.DelayPoll, defaultDelayPoll)
	c.Wait = orDefault(c.Wait, defaultWait)
	c.RequestTimeout = orDefault(c.RequestTimeout, defaultRequestTimeout)
	c.Name = orDefault(c.Name, defaultName)
	if c.NewOwner == nil {
		c.NewOwner = rand.Text
	}
	return c, c.check()
}

func (c Config) check() error {
	switch {
	case c.LockDelay != NoLockDelay && (c.LockDelay < time.Millisecond || c.LockDelay > maxLockDelay):
		return Invalid("LockDelay %v is neither NoLockDelay nor between %v and %v", c.LockDelay, time.Millisecond, maxLockDelay)
	case c.Behavior != api.SessionBehaviorRelease && c.Behavior != api.SessionBehaviorDelete:
		return Invalid("Behavior %q is neither %q nor %q", c.Behavior, api.SessionBehaviorRelease, api.SessionBehaviorDelete)
	case c.DelayPoll < 0 || c.RequestTimeout < 0:
		return Invalid("DelayPoll %v and RequestTimeout %v must not be negative", c.DelayPoll, c.RequestTimeout)
	case c.Wait < 0 || c.Wait > maxWait:
		return Invalid("Wait %v is not between 0 and %v", c.Wait, maxWait)
	}
	return c.checkTTL(c.TTL)
}

func (c Config) checkTTL(ttl time.Duration) error {
	if ttl < c.MinTTL || ttl > maxTTL {
		return Invalid("TTL %v is not between %v and %v", ttl, c.MinTTL, maxTTL)
	}
	return nil
}

// requestTimeout bounds one request on behalf of a session with the given TTL.
// Never more than a third of it, so that a lost request leaves time for another.
func (c Config) requestTimeout(ttl time.Duration) time.Duration {
	return min(c.RequestTimeout, ttl/3)
}

// checkKey refuses the names that are no usable path of a key in Consul: some
// are changed on the way through HTTP, others refused by newer servers.
func checkKey(key string) error {
	switch {
	case key == "":
		return Invalid("the key is empty")
	case len(key) > maxKey:
		return Invalid("the key has %d bytes, at most %d are allowed", len(key), maxKey)
	case strings.TrimSpace(key) != key:
		return Invalid("key %q starts or ends with a space", key)
	case strings.ContainsFunc(key, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return Invalid("key %q has control characters", key)
	}
	for segment := range strings.SplitSeq(key, "/") {
		if segment == "" || segment == "." || segment == ".." {
			return Invalid("key %q has the path element %q", key, segment)
		}
	}
	return nil
}

// Invalid makes a lock.ErrInvalid.
func Invalid(format string, args ...any) error {
	return fmt.Errorf("consullock: %w: %w", lock.ErrInvalid, fmt.Errorf(format, args...))
}

func orDefault[T comparable](v, otherwise T) T {
	var zero T
	if v == zero {
		return otherwise
	}
	return v
}
