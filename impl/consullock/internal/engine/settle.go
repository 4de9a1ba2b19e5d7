package engine

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
func (x *call) settle(ctx context.Context, s *session, p Place, cl Claim, cause error) (uint64, Verdict, error) {
	if isKnown(cause) {
		return 0, Refused, cause
	}
	e, err := x.ask(ctx, s, p.Key)
	switch {
	case err != nil:
		x.retire(s)
		return 0, Refused, fmt.Errorf("%w: %w", lock.ErrUnknownOutcome, both(cause, err))
	case !cl.holds(e):
		x.retire(s)
		return 0, Refused, cause
	case ctx.Err() == nil:
		return e.Index, Granted, nil
	}
	if err := x.giveBack(ctx, newLease(x, s, cl, Place{p.Key, e.Index})); err != nil {
		return 0, Refused, both(cause, err)
	}
	return 0, Refused, cause
}

// ask reads a key even if the caller has given up.
func (en *Engine) ask(ctx context.Context, s *session, key string) (Entry, error) {
	ctx, cancel := en.detached(ctx, s.ttl)
	defer cancel()
	return en.backend.Get(ctx, key)
}

// giveBack frees the key of a grant. The index of the key decides whose it is,
// since no other grant ever has the same; so a request that arrives late, or
// twice, frees nobody else's. Where the answer does not come, the key tells.
//
// It returns lock.ErrNotHeld when the key no longer belonged to the grant, and
// lock.ErrUnknownOutcome when it could not be found out. A session whose key may
// still be taken is retired, so that the key becomes free with it.
func (en *Engine) giveBack(ctx context.Context, x *lease) error {
	p, cause := x.place, error(nil)
	for range giveBackTries {
		freed, err := en.unlock(ctx, x, p)
		if freed {
			return nil
		}
		if isKnown(err) {
			en.retire(x.session)
			return err
		}
		e, failed := en.ask(ctx, x.session, p.Key)
		if failed != nil {
			en.retire(x.session)
			return fmt.Errorf("%w: %w", lock.ErrUnknownOutcome, both(err, failed))
		}
		if !x.claim.holds(e) {
			return en.notHeld(x, e, err)
		}
		p.Index, cause = e.Index, cmp.Or(err, errChanging)
	}
	en.retire(x.session)
	return fmt.Errorf("%w: %w", lock.ErrUnknownOutcome, cause)
}

// notHeld tells what it means that the key, in the state e, is not x's after a
// request to free it that failed with err, or was refused.
func (en *Engine) notHeld(x *lease, e Entry, err error) error {
	if e.Session == x.session.id {
		// Another grant of this process has it, or somebody wrote over the
		// owner. In case of the latter, it becomes free with the session.
		en.retire(x.session)
	}
	if err == nil {
		return lock.ErrNotHeld
	}
	return nil // the request was carried out, only its answer was lost
}

func (en *Engine) unlock(ctx context.Context, x *lease, p Place) (bool, error) {
	ctx, cancel := en.detached(ctx, x.session.ttl)
	defer cancel()
	return en.backend.Unlock(ctx, p, x.claim)
}

// isKnown reports whether the request that failed with err changed nothing.
func isKnown(err error) bool { return errors.Is(err, ErrRejected) || errors.Is(err, ErrNotSent) }

// both is a and b in one line, where a may be nil.
func both(a, b error) error {
	if a == nil {
		return b
	}
	return fmt.Errorf("%w; %w", a, b)
}
