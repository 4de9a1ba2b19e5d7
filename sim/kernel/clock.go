package kernel

import (
	"context"
	"time"

	"github.com/lockstep-sim/lockstep/impl/clock"
)

// processClock is clock.Clock in virtual time, as one process sees it.
type processClock struct{ p *Process }

func (c processClock) Now() time.Time { return c.p.Now() }

func (c processClock) Sleep(ctx context.Context, d time.Duration) error {
	t := c.p.k.mustTask("Sleep")
	if err := ctx.Err(); err != nil || d <= 0 {
		return err
	}
	if err := t.wait(ctx, d); err != clock.ErrTimeout {
		return err
	}
	return nil
}

func (c processClock) AfterFunc(d time.Duration, f func()) clock.Timer {
	e := c.p.After(d, func() { c.p.goNow("timer", f) })
	return timer{c.p.k, e}
}

func (c processClock) Go(f func()) { c.p.Go("go", f) }

func (c processClock) NewSignal() clock.Signal { return &signal{k: c.p.k} }

func (c processClock) NewEvent() clock.Event { return &event{k: c.p.k, c: make(chan struct{})} }

func (c processClock) WithTimeout(parent context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	return newTimeout(c.p, parent, d)
}

type timer struct {
	k *Kernel
	e *Event
}

func (t timer) Stop() bool { return t.k.Cancel(t.e) }
