package consullock

import (
	"context"
	"sync"
	"time"

	"github.com/hashicorp/consul/api"

	"github.com/lockstep-sim/lockstep/impl/clock"
	"github.com/lockstep-sim/lockstep/impl/lock"
)

// core is what the locks of this package share: the sessions and the attempts
// under way.
type core struct {
	clk     clock.Clock
	cfg     Config
	backend backend

	mu      sync.Mutex
	shared  *session   // that carries every grant without a TTL of its own
	opening *opening   // of the next shared one
	dead    []*session // ended here, but perhaps not on the server
	calls   []*call    // under way
	leases  []*lease   // held
	closed  bool
}

// opening is the creation of the shared session, for which several attempts may
// wait.
type opening struct {
	done clock.Event
	err  error // read only once done is set
}

func newCore(client *api.Client, cfg Config) (*core, error) {
	if client == nil {
		return nil, invalid("the client is nil")
	}
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	return &core{clk: cfg.Clock, cfg: cfg, backend: apiBackend{client}}, nil
}

// detached is a context for a request that must be sent even if the caller has
// given up.
func (c *core) detached(ctx context.Context, ttl time.Duration) (context.Context, context.CancelFunc) {
	return c.clk.WithTimeout(context.WithoutCancel(ctx), c.cfg.requestTimeout(ttl))
}

// join returns the shared session for one more use, and creates it where there
// is none. Every join is followed by a leave.
func (c *core) join(ctx context.Context) (*session, error) {
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		s, o, first := c.sharedOrOpening()
		if s != nil {
			return s, nil
		}
		if first {
			return c.openShared(ctx, o)
		}
		if err := o.done.Wait(ctx, clock.NoLimit); err != nil {
			return nil, err
		}
		if o.err != nil {
			return nil, o.err
		}
	}
}

// sharedOrOpening returns the shared session, or its opening with whether the
// caller is the one to carry it out.
func (c *core) sharedOrOpening() (*session, *opening, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.shared != nil && c.shared.alive(c.clk.Now()) {
		c.shared.users++
		return c.shared, nil, false
	}
	if c.opening != nil {
		return nil, c.opening, false
	}
	c.opening = &opening{done: c.clk.NewEvent()}
	return nil, c.opening, true
}

func (c *core) openShared(ctx context.Context, o *opening) (*session, error) {
	s, err := c.open(ctx, c.cfg.TTL, false)
	c.mu.Lock()
	c.opening, o.err = nil, err
	switch {
	case err != nil:
	case c.closed:
		s.retired = true
	default:
		c.shared = s
	}
	c.mu.Unlock()
	o.done.Set()
	if err == nil {
		c.bury(ctx)
	}
	return s, err
}

// sessionFor returns the session that shall carry a grant. A grant with a TTL of
// its own gets a session of its own, since the TTL is the session's.
func (c *core) sessionFor(ctx context.Context, req lock.Request) (*session, error) {
	if req.TTL == 0 {
		return c.join(ctx)
	}
	s, err := c.open(ctx, req.TTL, req.Fixed)
	if err != nil {
		return nil, err
	}
	c.retire(s)
	return s, nil
}
