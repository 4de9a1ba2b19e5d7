package lock

import (
	"context"
	"errors"
	"time"

	"github.com/lockstep-sim/lockstep/impl/clock"
)

// Renewal is how a [Watchdog] prolongs a lease.
type Renewal struct {
	// From is when the request that was granted was sent; zero means now. The
	// first renewal is due at From + Every.
	From time.Time
	// Every is the time from sending one successful request to sending the
	// next, by convention a third of the TTL, so that one that fails can be tried
	// again while the lease lasts.
	Every time.Duration
	// Retry is the pause after a renewal that failed for a passing reason; zero
	// or less means a quarter of Every.
	Retry time.Duration
	// Timeout bounds one renewal request.
	Timeout time.Duration
	// Renew sends one renewal and returns the new local deadline, counted from
	// before the request was sent. An error that is [ErrNotHeld] or
	// [ErrSessionExpired] is final; any other one is retried while the lease
	// lasts.
	Renew func(ctx context.Context) (time.Time, error)
}

// Watchdog renews one lease in the background until it is stopped or the lease
// ends. It belongs to that lease alone and never starts again.
type Watchdog struct {
	clk    clock.Clock
	grant  *Grant
	cfg    Renewal
	stop   clock.Event
	joined clock.Event
	cancel context.CancelFunc
}

// StartWatchdog starts to renew grant. Stop must be called before the release
// request is sent: a renewal that arrives after it would be an orphan.
func StartWatchdog(clk clock.Clock, grant *Grant, cfg Renewal) *Watchdog {
	if cfg.Retry <= 0 {
		cfg.Retry = max(cfg.Every/4, time.Millisecond)
	}
	ctx, cancel := context.WithCancel(context.Background())
	w := &Watchdog{
		clk: clk, grant: grant, cfg: cfg,
		stop: clk.NewEvent(), joined: clk.NewEvent(), cancel: cancel,
	}
	grant.OnEnd(w.stop.Set)
	clk.Go(func() {
		defer w.joined.Set()
		w.run(ctx)
	})
	return w
}

// Stop ends the renewal and waits until no request of it is under way. It may
// be called more than once, and on nil.
func (w *Watchdog) Stop() {
	if w == nil {
		return
	}
	w.stop.Set()
	w.cancel()
	// The wait is bounded: a request under way has been cancelled and has a
	// timeout of its own besides.
	_ = w.joined.Wait(context.Background(), clock.NoLimit)
}

func (w *Watchdog) run(ctx context.Context) {
	sent := w.cfg.From
	if sent.IsZero() {
		sent = w.clk.Now()
	}
	due := sent.Add(w.cfg.Every)
	for w.stop.Wait(ctx, max(0, due.Sub(w.clk.Now()))) == clock.ErrTimeout {
		sent = w.clk.Now()
		due = sent.Add(w.cfg.Every)
		if err := w.renew(ctx); err != nil {
			if reason := final(err); reason != nil {
				w.grant.End(reason)
				return
			}
			due = w.clk.Now().Add(w.cfg.Retry)
		}
	}
}

// final is how the lease ends after a renewal that need not be tried again.
func final(err error) error {
	switch {
	case errors.Is(err, ErrSessionExpired):
		return ErrSessionExpired
	case errors.Is(err, ErrNotHeld):
		return ErrLost
	}
	return nil
}

func (w *Watchdog) renew(ctx context.Context) error {
	ctx, cancel := w.clk.WithTimeout(ctx, w.cfg.Timeout)
	defer cancel()
	deadline, err := w.cfg.Renew(ctx)
	if err == nil && !w.grant.Extend(deadline) {
		return ErrNotHeld
	}
	return err
}
