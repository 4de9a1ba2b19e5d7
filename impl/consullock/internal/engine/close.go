package engine

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
func (en *Engine) Close() error {
	ctx := context.Background()
	calls, leases, shared := en.shut()
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
		en.leave(ctx, shared)
	}
	en.bury(ctx)
	return errors.Join(failed...)
}

// shut marks the lock as closed and returns what there is to end. The shared
// session is retired, and used once more until everything else has ended.
func (en *Engine) shut() ([]*call, []*lease, *session) {
	en.mu.Lock()
	defer en.mu.Unlock()
	shared := en.shared
	if shared != nil {
		en.shared, shared.retired = nil, true
		shared.users++
	}
	en.closed = true
	return slices.Clone(en.calls), slices.Clone(en.leases), shared
}

// enter registers an attempt, so that Close can end it.
func (en *Engine) enter(x *call) error {
	en.mu.Lock()
	defer en.mu.Unlock()
	if en.closed {
		return fmt.Errorf("consullock: %w", lock.ErrClosed)
	}
	en.calls = append(en.calls, x)
	return nil
}

func (en *Engine) exit(x *call) {
	en.mu.Lock()
	en.calls = slices.DeleteFunc(en.calls, func(y *call) bool { return y == x })
	en.mu.Unlock()
	x.done.Set()
}

func (en *Engine) isClosed() bool {
	en.mu.Lock()
	defer en.mu.Unlock()
	return en.closed
}

// attach makes x end with its session and with the lock. It reports false when
// one of the two has ended.
func (en *Engine) attach(x *lease) bool {
	en.mu.Lock()
	defer en.mu.Unlock()
	if en.closed || !x.session.alive(en.clk.Now()) {
		return false
	}
	en.leases = append(en.leases, x)
	return true
}

func (en *Engine) detach(x *lease) {
	en.mu.Lock()
	defer en.mu.Unlock()
	en.leases = slices.DeleteFunc(en.leases, func(y *lease) bool { return y == x })
}
