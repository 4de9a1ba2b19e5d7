// Package engine carries out what all locks on Redis have in common: attempts,
// waiting for a release, the clean-up after an answer that never came, renewal
// and release. What is sent to Redis is decided by a [Protocol].
//
// What belongs here: anything that holds for every kind of lock on one Redis.
// What does not: commands and scripts of one kind of lock.
package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/lockstep-sim/lockstep/impl/clock"
	"github.com/lockstep-sim/lockstep/impl/lock"
)

// Protocol is what one kind of lock says to Redis, through a [Conn]. Each method
// is one request, and safe to carry out twice for the same claim.
//
// An error reply of the server means that the request changed nothing; scripts
// are written so that this holds for them as well.
type Protocol interface {
	// Grant asks for the lock once.
	Grant(ctx context.Context, c Claim) (Outcome, error)
	// Renew gives the lease a full TTL from now and reports false when the
	// lock does not belong to the claim.
	Renew(ctx context.Context, c Claim) (bool, error)
	// Release gives the lock back, tells the waiters, and reports false when
	// the lock does not belong to the claim.
	Release(ctx context.Context, c Claim) (bool, error)
	// Remaining is the time after which a refused attempt is worth another try
	// even if nobody releases the lock. Zero means at once, a negative
	// duration that the time is not known. It is asked by waiters only.
	Remaining(ctx context.Context, c Claim, refused Outcome) (time.Duration, error)
}

// Outcome is the answer to Grant.
type Outcome struct {
	Granted  bool
	Token    lock.Token
	HasToken bool
	// PTTL is what was left of the holder's lease when the attempt was
	// refused, as Redis' command of that name tells it, where the protocol
	// learned it along with the refusal.
	PTTL int64
}

// Engine implements lock.Locker for one protocol.
type Engine struct {
	// Watch starts the renewal of a lease and returns what stops and joins it.
	// New sets it; an antipattern may change it before the first use.
	Watch func(l *Lease, r lock.Renewal) (stop func())

	// Reentrant means that callers may name an owner. It is set, as the fields
	// below are, before the first use.
	Reentrant bool
	// Queued means that the protocol keeps a queue of those who wait: Release
	// also takes a claim out of it, and each waiter has a channel of its own.
	Queued bool
	// Drift is what to take off a TTL. Nil means nothing.
	Drift func(ttl time.Duration) time.Duration

	rdb      Client
	protocol Protocol
	cfg      Config
	clk      clock.Clock
}

// New checks cfg and fills in its defaults. The error is lock.ErrInvalid.
func New(rdb Client, protocol Protocol, cfg Config) (*Engine, error) {
	if rdb == nil {
		return nil, fmt.Errorf("redislock: %w: no Redis client", lock.ErrInvalid)
	}
	return newEngine(rdb, protocol, cfg)
}

// NewSilent makes an engine without notifications: those who wait go by the time
// that Remaining tells.
func NewSilent(protocol Protocol, cfg Config) (*Engine, error) {
	return newEngine(nil, protocol, cfg)
}

func newEngine(rdb Client, protocol Protocol, cfg Config) (*Engine, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("redislock: %w", err)
	}
	e := &Engine{rdb: rdb, protocol: protocol, cfg: cfg, clk: cfg.Clock}
	e.Watch = e.watch
	return e, nil
}

// Acquire implements lock.Locker.
func (e *Engine) Acquire(ctx context.Context, key string, opts ...lock.Option) (lock.Lease, error) {
	return e.run(ctx, key, opts, e.acquire)
}

// TryAcquire implements lock.Locker.
func (e *Engine) TryAcquire(ctx context.Context, key string, opts ...lock.Option) (lock.Lease, error) {
	return e.run(ctx, key, opts, e.try)
}

func (e *Engine) run(
	ctx context.Context, key string, opts []lock.Option,
	how func(context.Context, Claim) (*Lease, error),
) (lock.Lease, error) {
	c, err := e.newClaim(key, opts)
	if err != nil {
		return nil, fmt.Errorf("redislock: acquire %q: %w", key, err)
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("redislock: acquire %q: %w", key, notAcquired(err))
	}
	lease, err := how(ctx, c)
	if err != nil {
		return nil, fmt.Errorf("redislock: acquire %q: %w", key, err)
	}
	return lease, nil
}

func (e *Engine) try(ctx context.Context, c Claim) (*Lease, error) {
	lease, _, err := e.attempt(ctx, c)
	switch {
	case err != nil:
		return nil, notAcquired(err)
	case lease == nil:
		return nil, fmt.Errorf("%w: another owner holds it", lock.ErrNotAcquired)
	}
	return lease, nil
}

func (e *Engine) acquire(ctx context.Context, c Claim) (*Lease, error) {
	c.Queued = e.Queued
	var lease *Lease
	var refused Outcome
	err := e.Await(ctx, c, func() (done bool, err error) {
		lease, refused, err = e.attempt(ctx, c)
		return lease != nil, err
	}, func() (time.Duration, error) {
		return e.protocol.Remaining(ctx, c, refused)
	})
	switch {
	case err == nil:
		return lease, nil
	case c.Queued && !errors.Is(err, lock.ErrNotAcquired):
		return nil, e.abandon(ctx, c, err)
	}
	return nil, notAcquired(err)
}

// UntilExpired turns an answer of PTTL into a time to wait. Redis keeps a key
// to the end of the millisecond in which it expires, hence one more. A key that
// is gone (−2) need not be waited for; one without a TTL (−1) has no end.
func UntilExpired(pttl int64) time.Duration {
	switch pttl {
	case -2:
		return 0
	case -1:
		return -1
	}
	return time.Duration(pttl+1) * time.Millisecond
}

// notAcquired says of a cause, which may say so already, that it has left the
// caller without the lock.
func notAcquired(cause error) error {
	if errors.Is(cause, lock.ErrNotAcquired) {
		return cause
	}
	return fmt.Errorf("%w: %w", lock.ErrNotAcquired, cause)
}
