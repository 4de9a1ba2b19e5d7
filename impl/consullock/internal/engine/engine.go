package engine

import (
	"context"
	"sync"
	"time"

	"github.com/lockstep-sim/lockstep/impl/clock"
	"github.com/lockstep-sim/lockstep/impl/lock"
)

// Engine is one lock: its sessions, the attempts under way and what it holds.
type Engine struct {
	clk     clock.Clock
	cfg     Config
	backend Backend

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

// New makes an engine. It sends nothing. A setting that cannot work is
// lock.ErrInvalid.
func New(b Backend, cfg Config) (*Engine, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	return &Engine{clk: cfg.Clock, cfg: cfg, backend: b}, nil
}

// detached is a context for a request that must be sent even if the caller has
// given up.
func (en *Engine) detached(ctx context.Context, ttl time.Duration) (context.Context, context.CancelFunc) {
	return en.clk.WithTimeout(context.WithoutCancel(ctx), en.cfg.requestTimeout(ttl))
}

// join returns the shared session for one more use, and creates it where there
// is none. Every join is followed by a leave.
func (en *Engine) join(ctx context.Context) (*session, error) {
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		s, o, first := en.sharedOrOpening()
		if s != nil {
			return s, nil
		}
		if first {
			return en.openShared(ctx, o)
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
func (en *Engine) sharedOrOpening() (*session, *opening, bool) {
	en.mu.Lock()
	defer en.mu.Unlock()
	if en.shared != nil && en.shared.alive(en.clk.Now()) {
		en.shared.users++
		return en.shared, nil, false
	}
	if en.opening != nil {
		return nil, en.opening, false
	}
	en.opening = &opening{done: en.clk.NewEvent()}
	return nil, en.opening, true
}

func (en *Engine) openShared(ctx context.Context, o *opening) (*session, error) {
	s, err := en.open(ctx, en.cfg.TTL, false)
	en.mu.Lock()
	en.opening, o.err = nil, err
	switch {
	case err != nil:
	case en.closed:
		s.retired = true
	default:
		en.shared = s
	}
	en.mu.Unlock()
	o.done.Set()
	if err == nil {
		en.bury(ctx)
	}
	return s, err
}

// sessionFor returns the session that shall carry a grant. A grant with a TTL of
// its own gets a session of its own, since the TTL is the session's.
func (en *Engine) sessionFor(ctx context.Context, req lock.Request) (*session, error) {
	if req.TTL == 0 {
		return en.join(ctx)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s, err := en.open(ctx, req.TTL, req.Fixed)
	if err != nil {
		return nil, err
	}
	en.retire(s)
	return s, nil
}
