package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/lockstep-sim/lockstep/impl/clock"
	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/zklock/zkconn"
)

// Close ends every hold and every wait with lock.ErrClosed, deletes their nodes
// as far as the server can be reached, and waits until nothing runs in the
// background. Closing again does nothing.
func (e *Engine) Close() {
	holds, signals, first := e.shut()
	if !first {
		return
	}
	e.stopEvents()
	for _, s := range signals {
		s.Notify()
	}
	for _, h := range holds {
		h.stop()
		if h.End(lock.ErrClosed) {
			e.discard(h.t)
		}
	}
	e.tasks.join()
}

// shut lets nothing new begin and returns what there is.
func (e *Engine) shut() (holds []*Hold, signals []clock.Signal, first bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return nil, nil, false
	}
	e.closed = true
	for h := range e.live {
		holds = append(holds, h)
	}
	for _, s := range e.waiting {
		signals = append(signals, s)
	}
	return holds, signals, true
}

// Forget deletes the queue of a key, if it is empty.
func (e *Engine) Forget(ctx context.Context, key string) error {
	if err := checkKey(key); err != nil {
		return fmt.Errorf("zklock: forget %q: %w", key, err)
	}
	_, err := once(ctx, e, func(ctx context.Context) (none, error) {
		return none{}, e.conn.Delete(ctx, e.cfg.Base+"/"+e.Path(key))
	})
	if err != nil && !errors.Is(err, zkconn.ErrNoNode) {
		return fmt.Errorf("zklock: forget %q: %w", key, err)
	}
	return nil
}
