package consullock

import (
	"time"

	"github.com/hashicorp/consul/api"

	"github.com/lockstep-sim/lockstep/impl/clock"
	"github.com/lockstep-sim/lockstep/impl/consullock/internal/engine"
)

// What becomes of a key when the session that holds it ends other than by a
// release, for Config.Behavior.
const (
	// BehaviorRelease leaves the key without a holder.
	BehaviorRelease = api.SessionBehaviorRelease
	// BehaviorDelete deletes the key, so that a crash leaves nothing behind.
	BehaviorDelete = api.SessionBehaviorDelete
)

// NoLockDelay asks for sessions without a lock-delay.
const NoLockDelay = engine.NoLockDelay

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
	Behavior string

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
