package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/lockstep-sim/lockstep/impl/lock"
)

// lease is one grant of one key. It has no deadline of its own: it ends with
// its session.
type lease struct {
	*lock.Grant
	engine  *Engine
	session *session
	claim   Claim
	place   Place // the key as it was granted
}

func newLease(x *call, s *session, cl Claim, p Place) *lease {
	info := lock.GrantInfo{Key: x.key, Owner: cl.Owner, Token: lock.Token(p.Index), HasToken: true}
	return &lease{
		Grant:  lock.NewGrant(x.clk, info),
		engine: x.Engine, session: s, claim: cl, place: p,
	}
}

// Deadline implements lock.Lease: that of the session, which every renewal of
// the session moves.
func (x *lease) Deadline() time.Time { return x.session.grant.Deadline() }

// Release implements lock.Lease. It sends one request and, where the answer does
// not come, at most three more, each of them bounded by the RequestTimeout and
// sent even if ctx has ended. A failed release is not repeated: the key is then
// free when the session ends, which gets no more grants.
func (x *lease) Release(ctx context.Context) error {
	if !x.End(lock.ErrReleased) {
		x.engine.bury(ctx)
		return fmt.Errorf("consullock: release %q: %w: it ended before: %w", x.Key(), lock.ErrNotHeld, x.Err())
	}
	x.engine.detach(x)
	if x.engine.isLast(x.session) {
		// Whatever becomes of the request, nothing may keep the session alive.
		x.session.dog.Stop()
	}
	err := x.engine.giveBack(ctx, x)
	x.engine.leave(ctx, x.session)
	if err != nil {
		return fmt.Errorf("consullock: release %q: %w", x.Key(), err)
	}
	return nil
}

// Renew implements lock.Renewer. It renews the session, and with it every lease
// that the session carries, and looks whether the key still belongs to this
// lease. It sends two requests.
func (x *lease) Renew(ctx context.Context) error {
	err := x.renew(ctx)
	if err != nil {
		return fmt.Errorf("consullock: renew %q: %w", x.Key(), err)
	}
	return nil
}

func (x *lease) renew(ctx context.Context) error {
	if err := x.Err(); err != nil {
		return fmt.Errorf("%w: it ended before: %w", lock.ErrNotHeld, err)
	}
	ctx, cancel := x.engine.clk.WithTimeout(ctx, x.engine.cfg.requestTimeout(x.session.ttl))
	defer cancel()
	deadline, err := x.engine.renew(ctx, x.session)
	if errors.Is(err, lock.ErrSessionExpired) {
		x.engine.lost(x.session)
		return fmt.Errorf("%w: %w", lock.ErrNotHeld, err)
	}
	if err != nil {
		return err
	}
	if !x.session.grant.Extend(deadline) {
		return fmt.Errorf("%w: the session ended meanwhile", lock.ErrNotHeld)
	}
	e, err := x.engine.backend.Get(ctx, x.place.Key)
	if err != nil {
		return err
	}
	if !x.claim.holds(e) {
		x.lose(ctx)
		return fmt.Errorf("%w: the key no longer belongs to this lease", lock.ErrNotHeld)
	}
	return nil
}

// lose ends a lease whose key is no longer its own.
func (x *lease) lose(ctx context.Context) {
	if x.End(lock.ErrLost) {
		x.engine.detach(x)
		x.engine.leave(ctx, x.session)
	}
}
