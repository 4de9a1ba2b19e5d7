package sqlengine

import (
	"context"
	"errors"
	"fmt"
	"net"

	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/sqllock/dialect"
)

// refusal is a definite no: nothing was granted and nothing was left behind. It
// is lock.ErrNotAcquired, and worth another try.
type refusal struct{ cause error }

func (r refusal) Error() string { return fmt.Sprintf("%v: %v", lock.ErrNotAcquired, r.cause) }

func (r refusal) Unwrap() []error { return []error{lock.ErrNotAcquired, r.cause} }

func isRefusal(err error) bool {
	var r refusal
	return errors.As(err, &r)
}

var (
	errHeld    = errors.New("another owner holds it")
	errTooLate = errors.New("the answer came after the lease had ended")
)

// attempt asks for the lock once.
func (e *Engine) attempt(ctx context.Context, c Claim) (*Lease, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("%w: %w", lock.ErrNotAcquired, err)
	}
	// The lease is counted from before the request is sent, because the
	// database counts from somewhere between that instant and the answer.
	sent := e.clk.Now()
	g, err := e.grant(ctx, c)
	switch {
	case err != nil:
		return nil, e.abandon(ctx, c, withContext(ctx, err))
	case !g.granted:
		return nil, refusal{errHeld}
	case ctx.Err() != nil:
		return nil, e.abandon(ctx, c, ctx.Err())
	case !e.clk.Now().Before(sent.Add(c.TTL)):
		return nil, e.tooLate(ctx, c)
	}
	return e.newLease(c, g.token, sent), nil
}

// withContext adds the error of the context to that of a request, which drivers
// leave out when they close the connection because of it.
func withContext(ctx context.Context, err error) error {
	if ended := ctx.Err(); ended != nil && !errors.Is(err, ended) {
		return fmt.Errorf("%w: %w", ended, err)
	}
	return err
}

type answer struct {
	token   lock.Token
	granted bool
}

func (e *Engine) grant(ctx context.Context, c Claim) (answer, error) {
	return send(ctx, e, c, func(ctx context.Context) (a answer, err error) {
		a.token, a.granted, err = e.protocol.Grant(ctx, c)
		return a, err
	})
}

// abandon gives up an attempt that failed or that nobody waits for any more. If
// the database may have granted it, the grant is taken back by its owner, which
// no other attempt shares; ctx may be the reason for giving up and must not
// stop that.
//
// A statement that is still on its way when the clean-up arrives can be carried
// out after it. Nothing renews such a grant: it ends with its TTL.
func (e *Engine) abandon(ctx context.Context, c Claim, cause error) error {
	if e.passing(cause) {
		return refusal{cause}
	}
	if e.changedNothing(cause) {
		return fmt.Errorf("%w: %w", lock.ErrNotAcquired, cause)
	}
	if _, err := e.release(context.WithoutCancel(ctx), c); err != nil {
		return fmt.Errorf("%w: %w; %w, it may last for %v: clean-up failed: %w",
			lock.ErrNotAcquired, cause, lock.ErrUnknownOutcome, c.TTL, err)
	}
	return fmt.Errorf("%w: %w", lock.ErrNotAcquired, cause)
}

// tooLate gives back a grant whose answer took longer than the lease itself, as
// after a pause of the process.
func (e *Engine) tooLate(ctx context.Context, c Claim) error {
	if _, err := e.release(context.WithoutCancel(ctx), c); err != nil {
		return fmt.Errorf("%w: %w; clean-up failed: %w", lock.ErrNotAcquired, errTooLate, err)
	}
	return refusal{errTooLate}
}

// changedNothing reports whether err proves that a statement had no effect: the
// server refused it, or it was never sent.
func (e *Engine) changedNothing(err error) bool {
	var op *net.OpError
	if errors.As(err, &op) && op.Op == "dial" {
		return true
	}
	return e.class(err) != dialect.Unknown
}
