package consul

import (
	"crypto/rand"
	"fmt"
	mathrand "math/rand/v2"
	"time"

	"github.com/lockstep-sim/lockstep/impl/clock"
)

// The bounds of the real server.
const (
	defaultMinTTL     = 10 * time.Second
	maxTTL            = 24 * time.Hour
	defaultMultiplier = 2
	defaultLockDelay  = 15 * time.Second
	maxLockDelay      = 60 * time.Second
	defaultWait       = 5 * time.Minute
	maxWait           = 10 * time.Minute
	jitterFraction    = 16
	maxValueSize      = 512 << 10
	maxTxnOps         = 64
)

// Options describes a server. The zero value behaves like a real server with
// its default configuration.
type Options struct {
	// Clock is the clock of the server. Nil means the real one.
	Clock clock.Clock

	// Node and Datacenter are the names of the server and of where it stands.
	// Empty means "node-1" and "dc1".
	Node       string
	Datacenter string

	// MinTTL is the shortest TTL that a session may ask for, as session_ttl_min
	// in the configuration of the real server. Zero means 10 s.
	MinTTL time.Duration

	// TTLMultiplier is how many TTLs after its creation or last renewal a
	// session expires. The real server's is 2; below 1 it would break the
	// promise of a TTL. Zero means 2.
	TTLMultiplier float64

	// NewID makes the identity of a session. It must never return the same
	// string twice. Nil means a random UUID.
	NewID func() string

	// Jitter returns what is added to the wait of a blocking query, from 0 up
	// to limit. Nil means a random duration.
	Jitter func(limit time.Duration) time.Duration
}

func (o Options) withDefaults() Options {
	o.Clock = clock.Or(o.Clock)
	o.Node = orDefault(o.Node, "node-1")
	o.Datacenter = orDefault(o.Datacenter, "dc1")
	o.MinTTL = orDefault(o.MinTTL, defaultMinTTL)
	o.TTLMultiplier = orDefault(o.TTLMultiplier, defaultMultiplier)
	if o.NewID == nil {
		o.NewID = newUUID
	}
	if o.Jitter == nil {
		o.Jitter = func(limit time.Duration) time.Duration { return mathrand.N(limit + 1) }
	}
	return o
}

func orDefault[T comparable](v, otherwise T) T {
	var zero T
	if v == zero {
		return otherwise
	}
	return v
}

func newUUID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails, by its documentation
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[0:4], b[4:6], b[6:8], b[8:10], b[10:])
}
