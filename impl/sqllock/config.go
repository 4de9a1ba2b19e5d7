package sqllock

import (
	"time"

	"github.com/lockstep-sim/lockstep/impl/clock"
	"github.com/lockstep-sim/lockstep/impl/sqllock/dialect"
	"github.com/lockstep-sim/lockstep/impl/sqllock/internal/table"
)

// DefaultTable is the table of the locks unless [Config.Table] says otherwise.
const DefaultTable = table.DefaultName

// Config says how a lock behaves. Only Dialect must be given.
type Config struct {
	// Dialect fits the database: dialect.SQLite(), dialect.Postgres() or
	// dialect.MySQL().
	Dialect dialect.Dialect

	// Table is the name of the table, with or without a schema: letters, digits
	// and underscores, up to 41 of them. A second one with the suffix "_floor"
	// belongs to it. Empty means [DefaultTable].
	Table string

	// Notify announces every release to other processes, where the database
	// can: on PostgreSQL with NOTIFY on the channel of the table's name, in the
	// releasing statement. Package pgnotify listens. Announcements are put in
	// order by one lock of the whole database, so this is a switch: it pays
	// where processes wait for each other, not where locks are mostly free.
	Notify bool

	// Clock is the source of local time. Nil means the real one. It decides
	// when this process stops believing in its lease, never who gets a lock.
	Clock clock.Clock

	// TTL is the length of a lease: how long others wait at most when the
	// holder has died. At least 10 ms; fractions of a millisecond are cut off.
	// Zero means 30 s. lock.WithTTL changes it for one grant.
	TTL time.Duration

	// RenewEvery is the time between two renewals. It must be shorter than the
	// TTL. Zero means a third of the TTL.
	RenewEvery time.Duration

	// NoRenew turns the renewal off: every lease ends after its TTL.
	// lock.WithFixedLease does it for one grant.
	NoRenew bool

	// RequestTimeout bounds every request. Zero means 3 s. A third of the TTL
	// applies where that is shorter.
	RequestTimeout time.Duration

	// PollMin and PollMax bound the pause between two attempts of a waiter,
	// which doubles from the one to the other and is spread at random. Zero
	// means 10 ms and 500 ms.
	PollMin, PollMax time.Duration

	// Rand returns a number in [0, 1) for the spread. Nil means math/rand/v2.
	Rand func() float64

	// NewOwner makes the identity of a grant. It must never return the same
	// string twice, in any process. Nil means 26 characters with 128 random
	// bits from crypto/rand.
	NewOwner func() string
}
