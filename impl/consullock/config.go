package consullock

import (
	"crypto/rand"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/consul/api"

	"github.com/lockstep-sim/lockstep/impl/clock"
	"github.com/lockstep-sim/lockstep/impl/lock"
)

// Behavior is what becomes of a key when the session that holds it ends other
// than by a release.
type Behavior string

const (
	// BehaviorRelease leaves the key without a holder. It is the default.
	BehaviorRelease Behavior = api.SessionBehaviorRelease
	// BehaviorDelete deletes the key, so that a crash leaves nothing behind.
	BehaviorDelete Behavior = api.SessionBehaviorDelete
)

// NoLockDelay asks for sessions without a lock-delay.
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

// Config says how a lock behaves. The zero value is ready for use.
type Config struct {
	// Clock is the source of time. Nil means the real one.
	Clock clock.Clock

	// TTL is the time to live of the session, from MinTTL to 24 h. A holder
	// that cannot renew it counts its leases as lost after one TTL; the server
	// ends the session between one and two TTLs after the last renewal. Zero
	// means 15 s. lock.WithTTL and lock.WithFixedLease give one grant a session
	// of its own.
	TTL time.Duration

	// MinTTL is the shortest TTL that the server takes, its session_ttl_min.
	// Zero means 10 s.
	MinTTL time.Duration

	// LockDelay is how long the server keeps a key from everybody after its
	// session ended other than by a release. It gives a holder that has not
	// noticed the time to notice. From 1 ms to 60 s; zero means 15 s, and
	// NoLockDelay none.
	LockDelay time.Duration

	// Behavior is what becomes of the keys when the session ends. Empty means
	// BehaviorRelease.
	Behavior Behavior

	// DelayPoll is the time between two attempts on a key that lies in a
	// lock-delay, the end of which Consul does not announce. Zero means 1 s.
	DelayPoll time.Duration

	// Wait bounds one blocking query, and with it the time until a waiter
	// looks again should a notification be lost. At most 10 min. Zero means
	// 1 min.
	Wait time.Duration

	// RequestTimeout bounds every request; for a blocking query it comes on
	// top of Wait. Zero means 3 s. A third of the TTL applies where that is
	// shorter.
	RequestTimeout time.Duration

	// Name is the name of the sessions, for whoever lists them. Empty means
	// "consullock".
	Name string

	// NewOwner makes the identity of a grant. It must never return the same
	// string twice, in any process. Nil means 26 characters with 128 random
	// bits from crypto/rand.
	NewOwner func() string
}

// withDefaults fills in what is zero and refuses what cannot work.
func (c Config) withDefaults() (Config, error) {
	c.Clock = clock.Or(c.Clock)
	c.TTL = orDefault(c.TTL, defaultTTL)
	c.MinTTL = orDefault(c.MinTTL, defaultMinTTL)
	c.LockDelay = orDefault(c.LockDelay, defaultLockDelay)
	c.Behavior = orDefault(c.Behavior, BehaviorRelease)
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
		return invalid("LockDelay %v is neither NoLockDelay nor between %v and %v", c.LockDelay, time.Millisecond, maxLockDelay)
	case c.Behavior != BehaviorRelease && c.Behavior != BehaviorDelete:
		return invalid("Behavior %q is neither %q nor %q", c.Behavior, BehaviorRelease, BehaviorDelete)
	case c.DelayPoll < 0 || c.RequestTimeout < 0:
		return invalid("DelayPoll %v and RequestTimeout %v must not be negative", c.DelayPoll, c.RequestTimeout)
	case c.Wait < 0 || c.Wait > maxWait:
		return invalid("Wait %v is not between 0 and %v", c.Wait, maxWait)
	}
	return c.checkTTL(c.TTL)
}

func (c Config) checkTTL(ttl time.Duration) error {
	if ttl < c.MinTTL || ttl > maxTTL {
		return invalid("TTL %v is not between %v and %v", ttl, c.MinTTL, maxTTL)
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
		return invalid("the key is empty")
	case len(key) > maxKey:
		return invalid("the key has %d bytes, at most %d are allowed", len(key), maxKey)
	case strings.TrimSpace(key) != key:
		return invalid("key %q starts or ends with a space", key)
	case strings.ContainsFunc(key, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return invalid("key %q has control characters", key)
	}
	for segment := range strings.SplitSeq(key, "/") {
		if segment == "" || segment == "." || segment == ".." {
			return invalid("key %q has the path element %q", key, segment)
		}
	}
	return nil
}

func invalid(format string, args ...any) error {
	return fmt.Errorf("consullock: %w: %w", lock.ErrInvalid, fmt.Errorf(format, args...))
}

func orDefault[T comparable](v, otherwise T) T {
	var zero T
	if v == zero {
		return otherwise
	}
	return v
}
