package kernel

import (
	"context"
	"time"
)

// timeoutContext is a context with a deadline in virtual time. A context that
// package context derives from it ends with it, at the same instant, but then
// reports context.Canceled with context.DeadlineExceeded as its cause.
type timeoutContext struct {
	context.Context // ends with the parent, by cancel, or by the timer
	parent          context.Context
	deadline        time.Time
}

func newTimeout(p *Process, parent context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	deadline := p.Now().Add(d)
	inner, cancel := context.WithCancelCause(parent)
	if cur, ok := parent.Deadline(); ok && cur.Before(deadline) {
		return &timeoutContext{inner, parent, cur}, func() { cancel(context.Canceled) }
	}
	c := &timeoutContext{inner, parent, deadline}
	if d <= 0 {
		cancel(context.DeadlineExceeded)
		return c, func() {}
	}
	e := p.After(d, func() { cancel(context.DeadlineExceeded) })
	return c, func() {
		p.k.Cancel(e)
		cancel(context.Canceled)
	}
}

// Deadline is in the time of the process.
func (c *timeoutContext) Deadline() (time.Time, bool) { return c.deadline, true }

func (c *timeoutContext) Err() error {
	err := c.Context.Err()
	if err == nil {
		return nil
	}
	if perr := c.parent.Err(); perr != nil {
		return perr
	}
	if context.Cause(c.Context) == context.DeadlineExceeded {
		return context.DeadlineExceeded
	}
	return err
}
