package etcdlock

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/lockstep-sim/lockstep/impl/clock"
)

// caller sends requests that are bounded in time.
type caller struct {
	store   Store
	clk     clock.Clock
	timeout time.Duration // of one attempt
}

// insist sends a request and, as long as no answer comes, sends it again: for
// one timeout longer than the first attempt may take, so that an answer that was
// lost without a sign is asked for once more. The request must be one that can
// be repeated.
func (c caller) insist(ctx context.Context, request func(context.Context) error) error {
	within := 2 * c.timeout
	budget, cancel := c.clk.WithTimeout(ctx, within)
	defer cancel()
	var cause error
	for {
		err := c.once(budget, request)
		switch {
		case answered(err):
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		case !errors.Is(err, context.DeadlineExceeded):
			cause = err
		}
		if c.clk.Sleep(budget, retryPause) == nil {
			continue
		}
		// The deadline was ours, so the caller must not take it for its own.
		if cause == nil {
			return fmt.Errorf("no answer from etcd within %v", within)
		}
		return fmt.Errorf("no answer from etcd within %v: %w", within, cause)
	}
}

// once sends a request with a limit on its time.
func (c caller) once(ctx context.Context, request func(context.Context) error) error {
	ctx, cancel := c.clk.WithTimeout(ctx, c.timeout)
	defer cancel()
	return request(ctx)
}

// txn is an insistent transaction; first reports whether the first attempt was
// the one that was answered.
func (c caller) txn(ctx context.Context, txn Txn) (res Result, first bool, err error) {
	attempts := 0
	err = c.insist(ctx, func(ctx context.Context) (err error) {
		attempts++
		res, err = c.store.Txn(ctx, txn)
		return err
	})
	return res, attempts == 1 && answered(err), err
}

// answered reports whether err, nil included, is etcd's answer: what became of
// the request is then certain.
func answered(err error) bool {
	return err == nil || errors.Is(err, ErrRefused) || errors.Is(err, ErrLeaseNotFound)
}
