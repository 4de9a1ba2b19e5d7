// Package sqlengine carries out what the locks that live in a database have in
// common: attempts and their repetition, waiting, the clean-up after an answer
// that never came, renewal and release. What is said to the database is decided
// by a [Protocol].
//
// What belongs here: anything that holds for every lease kept in a table. What
// does not: statements, and locks that are a transaction held open.
package sqlengine

import (
	"context"
	"errors"
	"fmt"

	"github.com/lockstep-sim/lockstep/impl/clock"
	"github.com/lockstep-sim/lockstep/impl/lock"
)

// Protocol is what one kind of lock says to the database. Each method either
// takes full effect or none, and is safe to carry out twice for the same claim.
type Protocol interface {
	// Grant asks for the lock once and reports false when somebody else has it.
	Grant(ctx context.Context, c Claim) (lock.Token, bool, error)
	// Renew gives the lease a full TTL from now and reports false when the
	// lock does not belong to the claim.
	Renew(ctx context.Context, c Claim) (bool, error)
	// Release gives the lock back and reports false when it does not belong to
	// the claim.
	Release(ctx context.Context, c Claim) (bool, error)
}

// Engine implements lock.Locker for one protocol.
type Engine struct {
	protocol Protocol
	cfg      Config
	clk      clock.Clock
	waiting  *waiters
}

// New checks cfg and fills in its defaults. The error is lock.ErrInvalid.
func New(protocol Protocol, cfg Config) (*Engine, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", cfg.Name, err)
	}
	return &Engine{protocol: protocol, cfg: cfg, clk: cfg.Clock, waiting: newWaiters(cfg.Clock)}, nil
}

// Acquire implements lock.Locker.
func (e *Engine) Acquire(ctx context.Context, key string, opts ...lock.Option) (lock.Lease, error) {
	return e.run(ctx, key, opts, e.acquire)
}

// TryAcquire implements lock.Locker.
func (e *Engine) TryAcquire(ctx context.Context, key string, opts ...lock.Option) (lock.Lease, error) {
	return e.run(ctx, key, opts, e.attempt)
}

// Wake lets one waiter of this engine look again at the lock named key.
func (e *Engine) Wake(key string) { e.waiting.wake(key) }

// WakeAll does that for every lock that is waited for.
func (e *Engine) WakeAll() { e.waiting.wakeAll() }

func (e *Engine) run(
	ctx context.Context, key string, opts []lock.Option,
	how func(context.Context, Claim) (*Lease, error),
) (lock.Lease, error) {
	c, err := e.newClaim(key, opts)
	if err == nil {
		var lease *Lease
		if lease, err = how(ctx, c); err == nil {
			return lease, nil
		}
	}
	return nil, fmt.Errorf("%s: acquire %q: %w", e.cfg.Name, key, err)
}

// acquire repeats the attempt until it is granted. A database cannot be relied
// on to tell when a row is freed, so the pauses grow, up to a bound, and are
// spread at random: waiters that were refused together do not come back
// together. A release in this process, or [Engine.Wake], ends the pause.
//
// The waiter is known before the first attempt, so that a release between a
// refusal and the pause is not missed.
func (e *Engine) acquire(ctx context.Context, c Claim) (lease *Lease, err error) {
	news, leave := e.waiting.join(c.Key)
	defer func() {
		leave()
		if err != nil {
			e.Wake(c.Key) // the news that this waiter used up may be news to another one
		}
	}()
	pause := e.backoff()
	for {
		lease, err = e.attempt(ctx, c)
		if !isRefusal(err) {
			return lease, err
		}
		switch woken := news.Wait(ctx, pause.Next()); {
		case woken == nil:
			pause = e.backoff()
		case !errors.Is(woken, clock.ErrTimeout):
			return nil, fmt.Errorf("%w: %w", err, woken)
		}
	}
}
