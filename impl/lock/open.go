package lock

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/lockstep-sim/lockstep/impl/clock"
	"github.com/lockstep-sim/lockstep/internal/suggest"
)

// defaultDial bounds Open unless the URL says otherwise.
const defaultDial = 5 * time.Second

// Client is a [Locker] together with its own connection to a backend.
type Client interface {
	Locker
	// Close ends the connection. Leases should have been released before: what
	// becomes of the others is up to the backend, in the end they expire.
	io.Closer
}

// Opener connects to the backend at an address. It must have made sure that the
// backend answers when it returns, and ctx, which has a deadline, bounds that.
type Opener func(ctx context.Context, a Address) (Client, error)

var (
	driversMu sync.RWMutex
	drivers   = map[string]Opener{}
)

// Register makes a backend available to [Open] under the scheme of its URLs,
// such as "redis", or under "embedded:" and a name. Packages call it when they
// are initialised; a second registration of one scheme, and a nil Opener, is a
// mistake of the program and panics, as it does with database/sql.
func Register(scheme string, open Opener) {
	driversMu.Lock()
	defer driversMu.Unlock()
	if open == nil {
		panic("lock: Register of a nil Opener for " + scheme)
	}
	if _, taken := drivers[scheme]; taken {
		panic("lock: Register called twice for " + scheme)
	}
	drivers[scheme] = open
}

// Schemes are the registered schemes in alphabetical order.
func Schemes() []string {
	driversMu.RLock()
	defer driversMu.RUnlock()
	return slices.Sorted(maps.Keys(drivers))
}

// Open connects to the backend that a URL names, so that one value of a
// configuration chooses it:
//
//	redis://[user:password@]host[:port][/db]?ttl=30s&fencing=true
//	embedded:redis
//
// The packages below impl/drivers say which parameters their schemes have. As
// with database/sql a program imports, for its effect alone, those that it wants
// to be able to use. The parameter dial, a duration that is 5 s by default,
// bounds Open, as ctx does; neither bounds the life of the result, which the
// caller must Close.
//
// A URL or a parameter that cannot work is [ErrInvalid]. Errors do not show the
// user and password of the URL.
func Open(ctx context.Context, rawURL string) (Client, error) {
	a, err := ParseAddress(rawURL)
	if err != nil {
		return nil, fmt.Errorf("lock: open: %w", err)
	}
	c, err := open(ctx, a)
	if err != nil {
		return nil, &openError{fmt.Errorf("lock: open %s: %w", a, err)}
	}
	return c, nil
}

// openError puts what a driver says over several lines into one.
type openError struct{ error }

// Error implements error.
func (e *openError) Error() string {
	lines := strings.Split(e.error.Error(), "\n")
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	return strings.Join(lines, " ")
}

// Unwrap returns the error as it was.
func (e *openError) Unwrap() error { return e.error }

func open(ctx context.Context, a Address) (Client, error) {
	opener, err := find(a.Driver())
	if err != nil {
		return nil, err
	}
	limit := a.Params.Duration("dial", defaultDial)
	ctx, cancel := clock.Real().WithTimeout(ctx, limit)
	defer cancel()
	c, err := opener(ctx, a)
	if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return nil, fmt.Errorf("no answer within %v: %w", limit, err)
	}
	return c, err
}

func find(scheme string) (Opener, error) {
	driversMu.RLock()
	opener, ok := drivers[scheme]
	driversMu.RUnlock()
	if ok {
		return opener, nil
	}
	if home, ok := homes[scheme]; ok {
		return nil, fmt.Errorf("%w: no driver for %q: add import _ %q", ErrInvalid, scheme, home)
	}
	known := slices.Concat(Schemes(), slices.Sorted(maps.Keys(homes)))
	if hint := suggest.DidYouMean(scheme, known); hint != "" {
		return nil, fmt.Errorf("%w: unknown scheme %q%s", ErrInvalid, scheme, hint)
	}
	return nil, fmt.Errorf("%w: unknown scheme %q; registered are %s", ErrInvalid, scheme, listed(Schemes()))
}

func listed(names []string) string {
	if len(names) == 0 {
		return "none, which imports of impl/drivers/… change"
	}
	return strings.Join(names, ", ")
}

// homes are the packages of this module that register a scheme, for the error
// of a program that has not imported them.
var homes = map[string]string{
	"redis":           driverPath + "redis",
	"rediss":          driverPath + "redis",
	"redlock":         driverPath + "redis",
	"zk":              driverPath + "zk",
	"etcd":            driverPath + "etcd",
	"consul":          driverPath + "consul",
	"sqlite":          driverPath + "sqlite",
	"postgres":        driverPath + "postgres",
	"mysql":           driverPath + "mysql",
	"embedded:redis":  driverPath + "embedded/redis",
	"embedded:zk":     driverPath + "embedded/zk",
	"embedded:etcd":   driverPath + "embedded/etcd",
	"embedded:consul": driverPath + "embedded/consul",
	"embedded:sqlite": driverPath + "embedded/sqlite",
}

const driverPath = "github.com/lockstep-sim/lockstep/impl/drivers/"
