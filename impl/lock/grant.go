package lock

import (
	"sync"
	"time"

	"github.com/lockstep-sim/lockstep/impl/clock"
)

// Grant is the local half of a lease: what the holder knows without asking the
// backend. Implementations embed it and add Release.
//
// It ends by itself when the clock passes the deadline, so a holder that cannot
// reach its backend still learns in time that it may not go on.
type Grant struct {
	clk      clock.Clock
	key      string
	owner    string
	token    Token
	hasToken bool
	ended    clock.Event

	mu       sync.Mutex
	deadline time.Time
	timer    clock.Timer
	err      error
	onEnd    []func()
}

// GrantInfo is what a successful acquisition tells. A zero Deadline makes a
// grant that does not end by time.
type GrantInfo struct {
	Key      string
	Owner    string
	Token    Token
	HasToken bool
	Deadline time.Time
}

// NewGrant starts the life of a lease. A deadline in the past gives a grant
// that ends at once.
func NewGrant(clk clock.Clock, info GrantInfo) *Grant {
	g := &Grant{
		clk: clk, key: info.Key, owner: info.Owner,
		token: info.Token, hasToken: info.HasToken,
		ended: clk.NewEvent(), deadline: info.Deadline,
	}
	if !info.Deadline.IsZero() {
		g.mu.Lock()
		g.arm()
		g.mu.Unlock()
	}
	return g
}

// Key implements [Lease].
func (g *Grant) Key() string { return g.key }

// Owner implements [Lease].
func (g *Grant) Owner() string { return g.owner }

// Token implements [Lease].
func (g *Grant) Token() (Token, bool) { return g.token, g.hasToken }

// Done implements [Lease].
func (g *Grant) Done() <-chan struct{} { return g.ended.Done() }

// Ended is the event behind Done, for code that waits on the clock.
func (g *Grant) Ended() clock.Event { return g.ended }

// Deadline implements [Lease].
func (g *Grant) Deadline() time.Time {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.deadline
}

// Err implements [Lease].
func (g *Grant) Err() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.err
}

// Extend moves the deadline after a successful renewal. It never moves it back,
// and reports false when the grant has ended: an ended lease is not revived,
// because its holder may have been told so already.
func (g *Grant) Extend(deadline time.Time) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.err != nil {
		return false
	}
	if deadline.After(g.deadline) {
		g.deadline = deadline
	}
	return true
}

// End ends the grant for the given reason. Only the first call counts; it
// reports whether this was the one.
func (g *Grant) End(reason error) bool {
	g.mu.Lock()
	if g.err != nil {
		g.mu.Unlock()
		return false
	}
	g.err = reason
	if g.timer != nil {
		g.timer.Stop()
	}
	callbacks := g.onEnd
	g.onEnd = nil
	g.mu.Unlock()

	g.ended.Set()
	for _, f := range callbacks {
		f()
	}
	return true
}

// OnEnd calls f once when the grant ends, or at once when it has ended.
func (g *Grant) OnEnd(f func()) {
	g.mu.Lock()
	if g.err == nil {
		g.onEnd = append(g.onEnd, f)
		g.mu.Unlock()
		return
	}
	g.mu.Unlock()
	f()
}

// arm sets the timer for the current deadline. The caller holds g.mu. Extend
// does not touch the timer: one that fires early arms itself again, which saves
// a timer operation for every renewal.
func (g *Grant) arm() {
	g.timer = g.clk.AfterFunc(g.deadline.Sub(g.clk.Now()), g.expire)
}

func (g *Grant) expire() {
	g.mu.Lock()
	if g.err == nil && g.clk.Now().Before(g.deadline) {
		g.arm()
		g.mu.Unlock()
		return
	}
	g.mu.Unlock()
	g.End(ErrLost)
}
