package engine

import (
	"context"
	"errors"
	"fmt"
	"net"

	"github.com/redis/go-redis/v9"

	"github.com/lockstep-sim/lockstep/impl/lock"
)

// attempt asks for the lock once. No lease and no error is a refusal.
func (e *Engine) attempt(ctx context.Context, c Claim) (*Lease, Outcome, error) {
	if err := ctx.Err(); err != nil {
		return nil, Outcome{}, err
	}
	// The lease is counted from before the request is sent, because Redis
	// counts from somewhere between that instant and the answer.
	sent := e.clk.Now()
	out, err := e.protocol.Grant(ctx, c)
	switch {
	case err != nil:
		return nil, out, e.abandon(ctx, c, withContext(ctx, err))
	case !out.Granted:
		return nil, out, nil
	case ctx.Err() != nil:
		return nil, out, e.abandon(ctx, c, ctx.Err())
	case !e.clk.Now().Before(c.deadline(sent)):
		return nil, Outcome{}, e.tooLate(ctx, c)
	}
	return e.newLease(c, out, sent), out, nil
}

// withContext adds the error of the context to that of a request, which is one
// of the connection when the deadline of the context cut it short.
func withContext(ctx context.Context, err error) error {
	if ended := ctx.Err(); ended != nil && !errors.Is(err, ended) {
		return fmt.Errorf("%w: %w", ended, err)
	}
	return err
}

// abandon gives up an attempt that failed or that nobody waits for any more. If
// the server may have granted it, the grant is taken back by its owner, which
// no other attempt shares; ctx may be the reason for giving up and must not
// stop that. A claim that may stand in a queue leaves it the same way.
//
// A request that is still on its way when the clean-up arrives can be carried
// out after it. Nothing renews such a grant: it ends with its TTL.
func (e *Engine) abandon(ctx context.Context, c Claim, cause error) error {
	if ChangedNothing(cause) && !c.Queued {
		return notAcquired(cause)
	}
	if _, err := e.protocol.Release(context.WithoutCancel(ctx), c); err != nil {
		return fmt.Errorf("%w: %w; %w, it may last for %v: clean-up failed: %w",
			lock.ErrNotAcquired, cause, lock.ErrUnknownOutcome, c.TTL, err)
	}
	return notAcquired(cause)
}

// tooLate gives back a grant whose answer took longer than the lease itself, as
// after a pause of the process. A waiter tries again.
func (e *Engine) tooLate(ctx context.Context, c Claim) error {
	if _, err := e.protocol.Release(context.WithoutCancel(ctx), c); err != nil {
		return fmt.Errorf("%w: the answer came after the lease had ended; clean-up failed: %w",
			lock.ErrNotAcquired, err)
	}
	return nil
}

// ChangedNothing reports whether err proves that a request was not carried out:
// the server or the protocol refused it, or it was never sent.
func ChangedNothing(err error) bool {
	var reply redis.Error
	if errors.As(err, &reply) {
		return true
	}
	var op *net.OpError
	if errors.As(err, &op) && op.Op == "dial" {
		return true
	}
	return errors.Is(err, redis.ErrPoolTimeout) || errors.Is(err, redis.ErrPoolExhausted) ||
		errors.Is(err, redis.ErrClosed) || errors.Is(err, lock.ErrInvalid)
}
