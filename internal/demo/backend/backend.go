// Package backend opens what a lock of the demo runs on: a server inside the
// process, by its name, or a given one, by its URL.
//
// What belongs here: servers, a client for each worker, and counting what these
// clients send. What does not: what the workers do (package contest).
package backend

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/redis/go-redis/v9/logging"

	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/internal/demo/contest"
	"github.com/lockstep-sim/lockstep/internal/suggest"
)

// prefix may stand before the name of an embedded backend, as in the URLs of
// lock.Open.
const prefix = "embedded:"

// Backend is an open backend.
type Backend struct {
	// Name says in words what it is, without user and password.
	Name string
	// Counts is whether Traffic knows anything.
	Counts bool

	connect func(context.Context) (lock.Locker, error)
	meter   meter
	close   closers
}

// embedded are the backends inside the process. Each function starts a server
// and puts into b how a worker connects to it. A TTL of 0 means the default of
// the lock.
var embedded = map[string]func(ctx context.Context, b *Backend, ttl time.Duration) error{
	"consul": startConsul,
	"etcd":   startEtcd,
	"redis":  startRedis,
	"sqlite": startSQLite,
	"zk":     startZK,
}

// Names are the names of the embedded backends in alphabetical order.
func Names() []string { return slices.Sorted(maps.Keys(embedded)) }

var quietOnce sync.Once

// quiet silences the clients that write to standard error by themselves: what
// matters they also return as errors, and the rest would spoil the screen.
func quiet() {
	logging.Disable()
	_ = mysql.SetLogger(&mysql.NopLogger{}) // fails for nil only
}

// Open opens the backend that target names, an embedded one or the URL of
// another, with leases of the given time; 0 means the default of the lock. A
// target that cannot be is lock.ErrInvalid. The caller must Close the result.
func Open(ctx context.Context, target string, ttl time.Duration) (*Backend, error) {
	quietOnce.Do(quiet)
	name := strings.TrimPrefix(target, prefix)
	if start, ok := embedded[name]; ok {
		b := &Backend{Name: "embedded " + name, Counts: true}
		if err := start(ctx, b, ttl); err != nil {
			_ = b.Close() // the error above says what matters
			return nil, fmt.Errorf("%s: %w", b.Name, err)
		}
		return b, nil
	}
	if !strings.Contains(target, ":") || name != target {
		return nil, unknown(name)
	}
	return openURL(target, ttl)
}

func unknown(name string) error {
	if near := suggest.DidYouMean(name, Names()); near != "" {
		return fmt.Errorf("%w: unknown backend %q%s", lock.ErrInvalid, name, near)
	}
	return fmt.Errorf("%w: unknown backend %q: there are %s, or a URL such as redis://localhost:6379",
		lock.ErrInvalid, name, strings.Join(Names(), ", "))
}

// Connect makes a locker with a client of its own, as another process would
// have. Close closes it. It is not safe for concurrent use.
func (b *Backend) Connect(ctx context.Context) (lock.Locker, error) { return b.connect(ctx) }

// Traffic is what all the clients have sent so far.
func (b *Backend) Traffic() contest.Traffic {
	return contest.Traffic{Requests: b.meter.requests.Load(), Renewals: b.meter.renewals.Load()}
}

// Close closes the clients and ends an embedded server.
func (b *Backend) Close() error { return b.close.run() }
