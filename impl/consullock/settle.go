package consullock

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/lockstep-sim/lockstep/impl/lock"
)

// giveBackTries is how often a key is freed that turns out to be taken still.
const giveBackTries = 2

var errChanging = errors.New("the key changes all the time")

// settle finds out what became of a request for p that failed with cause. It
// asks the key: the session alone would not do, because every grant of this
// process has the same, so the owner decides.
//
// A request that the key does not show may still be on its way. Its session is
// therefore retired: what the request takes, should it arrive late, ends with
// the session instead of being renewed for ever.
func (x *call) settle(ctx context.Context, s *session, p place, cl claim, cause error) (uint64, verdict, error) {
	if isKnown(cause) {
		return 0, refused, cause
	}
	e, err := x.ask(ctx, s, p.key)
	switch {
	case err != nil:
		x.retire(s)
		return 0, refused, fmt.Errorf("%w: %w", lock.ErrUnknownOutcome, both(cause, err))
	case !cl.holds(e):
		x.retire(s)
		return 0, refused, cause
	case ctx.Err() == nil:
		return e.index, granted, nil
	}
	if err := x.giveBack(ctx, newLease(x, s, p.key, cl, e.index)); err != nil {
		return 0, refused, both(cause, err)
	}
	return 0, refused, cause
}

// ask reads a key even if the caller has given up.
func (c *core) ask(ctx context.Context, s *session, key string) (entry, error) {
	ctx, cancel := c.detached(ctx, s.ttl)
	defer cancel()
	return c.backend.get(ctx, key)
}

// giveBack frees the key of a grant. The index of the key decides whose it is,
// since no other grant ever has the same; so a request that arrives late, or
// twice, frees nobody else's. Where the answer does not come, the key tells.
//
// It returns lock.ErrNotHeld when the key no longer belonged to the grant, and
// lock.ErrUnknownOutcome when it could not be found out. A session whose key may
// still be taken is retired, so that the key becomes free with it.
func (c *core) giveBack(ctx context.Context, x *lease) error {
	index, cause := x.index, error(nil)
	for range giveBackTries {
		freed, err := c.unlock(ctx, x, index)
		if freed {
			return nil
		}
		if isKnown(err) {
			c.retire(x.session)
			return err
		}
		e, failed := c.ask(ctx, x.session, x.at)
		if failed != nil {
			c.retire(x.session)
			return fmt.Errorf("%w: %w", lock.ErrUnknownOutcome, both(err, failed))
		}
		if !x.claim.holds(e) {
			return c.notHeld(x, e, err)
		}
		index, cause = e.index, cmp.Or(err, errChanging)
	}
	c.retire(x.session)
	return fmt.Errorf("%w: %w", lock.ErrUnknownOutcome, cause)
}

// notHeld tells what it means that the key, in the state e, is not x's after a
// request to free it that failed with err, or was refused.
func (c *core) notHeld(x *lease, e entry, err error) error {
	if e.session == x.session.id {
		// Another grant of this process has it, or somebody wrote over the
		// owner. In case of the latter, it becomes free with the session.
		c.retire(x.session)
	}
	if err == nil {
		return lock.ErrNotHeld
	}
	return nil // the request was carried out, only its answer was lost
}

func (c *core) unlock(ctx context.Context, x *lease, index uint64) (bool, error) {
	ctx, cancel := c.detached(ctx, x.session.ttl)
	defer cancel()
	return c.backend.unlock(ctx, x.at, index)
}

// isKnown reports whether the request that failed with err changed nothing.
func isKnown(err error) bool { return errors.Is(err, errRejected) || errors.Is(err, errNotSent) }

// both is a and b in one line, where a may be nil.
func both(a, b error) error {
	if a == nil {
		return b
	}
	return fmt.Errorf("%w; %w", a, b)
}
