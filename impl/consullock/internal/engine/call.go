package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/lockstep-sim/lockstep/impl/clock"
	"github.com/lockstep-sim/lockstep/impl/lock"
)

// sessionTries is how often an attempt is made because its session was gone.
// The second session is a new one: if that is gone too, it is no coincidence.
const sessionTries = 2

// call is one Acquire or TryAcquire under way.
type call struct {
	*Engine
	target Target
	key    string // as it was given
	req    lock.Request
	owner  string
	waits  bool
	parent context.Context // of the caller
	cancel context.CancelFunc
	done   clock.Event
}

// Acquire runs an Acquire of the lock named key, which is at t, or a TryAcquire
// where waits is false.
func (en *Engine) Acquire(ctx context.Context, key string, t Target, waits bool, opts []lock.Option) (lock.Lease, error) {
	req := lock.NewRequest(opts...)
	if err := en.checkRequest(key, req); err != nil {
		return nil, err
	}
	x := &call{
		Engine: en, target: t, key: key, req: req, owner: en.cfg.NewOwner(),
		waits: waits, parent: ctx, done: en.clk.NewEvent(),
	}
	ctx, x.cancel = context.WithCancel(ctx)
	defer x.cancel()
	if err := en.enter(x); err != nil {
		return nil, err
	}
	defer en.exit(x)
	held, err := x.run(ctx)
	if err != nil {
		return nil, x.failure(err)
	}
	return held, nil
}

func (en *Engine) checkRequest(key string, req lock.Request) error {
	if req.Owner != "" {
		return Invalid("WithOwner: the lock is not reentrant")
	}
	if req.TTL != 0 || req.Fixed {
		if err := en.cfg.checkTTL(req.TTL); err != nil {
			return err
		}
	}
	return checkKey(key)
}

// failure says that the lock was not acquired and why: because the caller or
// Close ended the attempt, where that is so, and otherwise because of err.
func (x *call) failure(err error) error {
	if ended := x.parent.Err(); ended != nil && !errors.Is(err, ended) {
		err = fmt.Errorf("%w: %w", ended, err)
	} else if ended == nil && x.isClosed() {
		err = fmt.Errorf("%w: %w", lock.ErrClosed, err)
	}
	return fmt.Errorf("consullock: acquire %q: %w: %w", x.key, lock.ErrNotAcquired, err)
}

// run looks and tries in turn until the lock is granted.
func (x *call) run(ctx context.Context) (*lease, error) {
	var places []Place
	if x.req.TTL == 0 {
		// A session of its own is worth creating only once a place is free.
		places = x.target.Guess()
	}
	for looked := false; ; looked = true {
		var err error
		if len(places) == 0 {
			if places, err = x.await(ctx); err != nil {
				return nil, err
			}
		}
		held, v, err := x.takeAny(ctx, places)
		switch {
		case held != nil || err != nil:
			return held, err
		case v == Delayed && x.waits:
			// Nothing announces the end of a lock-delay: try again at times.
			if err := x.clk.Sleep(ctx, x.cfg.DelayPoll); err != nil {
				return nil, err
			}
		case v == Delayed:
			return nil, errors.New("a lock-delay keeps it free for now")
		case looked && !x.waits:
			return nil, errors.New("somebody else was faster")
		default:
			places = nil
		}
	}
}

// takeAny tries one place after the other.
func (x *call) takeAny(ctx context.Context, places []Place) (*lease, Verdict, error) {
	all := Delayed
	for _, p := range places {
		held, v, err := x.take(ctx, p)
		if held != nil || err != nil {
			return held, v, err
		}
		if v == Refused {
			all = Refused
		}
	}
	return nil, all, nil
}

// take tries one place, and again with a new session where the old one is gone.
func (x *call) take(ctx context.Context, p Place) (*lease, Verdict, error) {
	for range sessionTries {
		s, err := x.sessionFor(ctx, x.req)
		if err != nil {
			return nil, Refused, err
		}
		held, v, err := x.takeFor(ctx, s, p)
		if held != nil {
			return held, Granted, nil
		}
		x.leave(ctx, s)
		if err != nil || v != SessionGone {
			return nil, v, err
		}
	}
	return nil, SessionGone, lock.ErrSessionExpired
}

// takeFor tries one place for a session. A lease that it returns uses s.
func (x *call) takeFor(ctx context.Context, s *session, p Place) (*lease, Verdict, error) {
	if err := ctx.Err(); err != nil {
		return nil, Refused, err // nothing was sent that would have to be settled
	}
	cl := Claim{Session: s.id, Owner: x.owner, Flags: x.target.Flags()}
	index, v, err := x.request(ctx, s, p, cl)
	if err != nil {
		index, v, err = x.settle(ctx, s, p, cl, err)
	}
	switch {
	case err != nil:
		return nil, Refused, err
	case v == SessionGone:
		x.lost(s)
	case v == Granted:
		held := newLease(x, s, cl, Place{p.Key, index})
		if x.attach(held) {
			return held, Granted, nil
		}
		// The session or the lock has ended meanwhile.
		_ = x.giveBack(ctx, held)
		return nil, SessionGone, nil
	}
	return nil, v, nil
}

func (x *call) request(ctx context.Context, s *session, p Place, cl Claim) (uint64, Verdict, error) {
	ctx, cancel := x.clk.WithTimeout(ctx, x.cfg.requestTimeout(s.ttl))
	defer cancel()
	return x.backend.Lock(ctx, p, cl)
}
