package consullock

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/lockstep-sim/lockstep/impl/clock"
	"github.com/lockstep-sim/lockstep/impl/lock"
)

// Close ends every attempt under way with lock.ErrClosed, gives back every
// lease and destroys the session. What cannot be given back because the server
// does not answer is free when its session has expired. Closing again does
// nothing.
func (c *core) Close() error {
	ctx := context.Background()
	calls, leases, shared := c.shut()
	for _, x := range calls {
		x.cancel()
	}
	for _, x := range calls {
		// Bounded by the time limits of the requests for the clean-up.
		_ = x.done.Wait(ctx, clock.NoLimit)
	}
	var failed []error
	for _, x := range leases {
		if err := x.Release(ctx); err != nil && !errors.Is(err, lock.ErrNotHeld) {
			failed = append(failed, err)
		}
	}
	if shared != nil {
		c.leave(ctx, shared)
	}
	c.bury(ctx)
	return errors.Join(failed...)
}

// shut marks the lock as closed and returns what there is to end. The shared
// session is retired, and used once more until everything else has ended.
func (c *core) shut() ([]*call, []*lease, *session) {
	c.mu.Lock()
	defer c.mu.Unlock()
	shared := c.shared
	if shared != nil {
		c.shared, shared.retired = nil, true
		shared.users++
	}
	c.closed = true
	return slices.Clone(c.calls), slices.Clone(c.leases), shared
}

// enter registers an attempt, so that Close can end it.
func (c *core) enter(x *call) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return fmt.Errorf("consullock: %w", lock.ErrClosed)
	}
	c.calls = append(c.calls, x)
	return nil
}

func (c *core) exit(x *call) {
	c.mu.Lock()
	c.calls = slices.DeleteFunc(c.calls, func(y *call) bool { return y == x })
	c.mu.Unlock()
	x.done.Set()
}

func (c *core) isClosed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.closed
}

// attach makes x end with its session and with the lock. It reports false when
// one of the two has ended.
func (c *core) attach(x *lease) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed || !x.session.alive(c.clk.Now()) {
		return false
	}
	c.leases = append(c.leases, x)
	return true
}

func (c *core) detach(x *lease) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.leases = slices.DeleteFunc(c.leases, func(y *lease) bool { return y == x })
}
