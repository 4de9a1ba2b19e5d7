package sqlengine

import (
	"context"

	"github.com/lockstep-sim/lockstep/impl/clock"
	"github.com/lockstep-sim/lockstep/impl/sqllock/dialect"
)

// maxTries is how often a request is sent that the database turns away for a
// passing reason: as the victim of a deadlock, or because a row that it needs
// is locked for the length of somebody else's statement.
const maxTries = 4

// Retry carries out request up to the given number of times, with the pauses
// that pause gives in between, as long as it fails with an error that again
// says is passing. It returns what the last one returned.
func Retry[T any](
	ctx context.Context, clk clock.Clock, pause *Backoff, tries int,
	again func(error) bool, request func(context.Context) (T, error),
) (T, error) {
	for try := 1; ; try++ {
		v, err := request(ctx)
		if err == nil || try >= tries || !again(err) {
			return v, err
		}
		if clk.Sleep(ctx, pause.Next()) != nil {
			return v, err
		}
	}
}

// send carries out one request, bounded in time whatever the caller's context
// allows.
func send[T any](ctx context.Context, e *Engine, c Claim, request func(context.Context) (T, error)) (T, error) {
	ctx, cancel := e.clk.WithTimeout(ctx, e.cfg.requestTimeout(c.TTL))
	defer cancel()
	return Retry(ctx, e.clk, e.backoff(), maxTries, e.passing, request)
}

// Do carries out a statement that belongs to no lease, such as a clean-up, with
// the patience that requests for leases get.
func (e *Engine) Do(ctx context.Context, request func(context.Context) (int64, error)) (int64, error) {
	ctx, cancel := e.clk.WithTimeout(ctx, e.cfg.RequestTimeout)
	defer cancel()
	return Retry(ctx, e.clk, e.backoff(), maxTries, e.passing, request)
}

func (e *Engine) passing(err error) bool { return e.class(err).Transient() }

func (e *Engine) class(err error) dialect.Class { return e.cfg.Dialect.Class(err) }

func (e *Engine) renew(ctx context.Context, c Claim) (bool, error) {
	return send(ctx, e, c, func(ctx context.Context) (bool, error) {
		return e.protocol.Renew(ctx, c)
	})
}

func (e *Engine) release(ctx context.Context, c Claim) (bool, error) {
	released, err := send(ctx, e, c, func(ctx context.Context) (bool, error) {
		return e.protocol.Release(ctx, c)
	})
	if released {
		e.Wake(c.Key)
	}
	return released, err
}
