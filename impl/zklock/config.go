package zklock

import (
	"path"
	"time"

	"github.com/lockstep-sim/lockstep/impl/clock"
	"github.com/lockstep-sim/lockstep/impl/zklock/internal/engine"
)

// Config says how a lock behaves. The zero value is ready for use. How long a
// lease outlives its holder is a matter of the session; see zkconn.Config.
type Config struct {
	// Clock is the source of time. Nil means the real one.
	Clock clock.Clock

	// Base is the path below which every key has its node. It is made where it
	// is missing. Empty means "/lockstep".
	Base string

	// RequestTimeout bounds every request. Zero means 3 s. A third of the
	// session timeout applies where that is shorter.
	RequestTimeout time.Duration

	// NewOwner makes the identity of a grant, which stands in the name of its
	// node. It must never return the same string twice, in any process. Nil
	// means 128 random bits from crypto/rand in hexadecimal digits.
	NewOwner func() string
}

// QueuePath is the path of the node whose children are the queue for a key, where
// base is that of [Config]. Different keys have different paths.
func QueuePath(base, key string) string { return path.Join(base, engine.Escape(key)) }
