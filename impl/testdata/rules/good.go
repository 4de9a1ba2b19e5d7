// Package rules keeps to the rules of impl where it looks as if it did not. It is
// parsed, never built.
package rules

import (
	"context"
	"sync"
	"time"

	"github.com/lockstep-sim/lockstep/impl/clock"
)

const second = time.Second // durations are not a source of time

type client struct {
	clk clock.Clock
	mu  sync.RWMutex
	n   int
}

func (c *client) call(ctx context.Context) error { return ctx.Err() }

func (c *client) injected(ctx context.Context) {
	now := c.clk.Now()
	_ = c.clk.Sleep(ctx, now.Sub(now))
	done := c.clk.NewEvent()
	c.clk.Go(done.Set)
	_ = done.Wait(ctx, clock.NoLimit)
}

func forced(c <-chan int) int {
	select { //lockstep:bare-wait the client hands out a channel and nothing else
	case n := <-c:
		return n
	}
}

func (c *client) unlockFirst(ctx context.Context) error {
	c.mu.Lock()
	c.n++
	c.mu.Unlock()
	if err := c.call(ctx); err != nil {
		return err
	}
	c.mu.RLock()
	for c.n > 0 {
		if c.n == 1 {
			c.mu.RUnlock()
			return c.call(ctx)
		}
		c.n--
	}
	c.mu.RUnlock()
	return c.call(ctx)
}

// later makes calls that run after the mutex is free.
func (c *client) later(ctx context.Context) func() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, cancel := context.WithCancel(ctx)
	cancel()
	c.clk.Go(func() { _ = c.call(ctx) })
	return func() error { return c.call(ctx) }
}

// chosen unlocks in every branch.
func (c *client) chosen(ctx context.Context) error {
	c.mu.Lock()
	switch c.n {
	case 0:
		c.mu.Unlock()
	default:
		c.mu.Unlock()
		return nil
	}
	return c.call(ctx)
}

// time is a field, not the package.
func field(o struct{ time struct{ Now int } }) int { return o.time.Now }
