// Package rules breaks every rule of impl once, line by line. It is parsed, never
// built.
package rules

import (
	stdctx "context"
	"sync"
	"time"
)

type client struct {
	mu  sync.Mutex
	ctx stdctx.Context
}

func (c *client) call(ctx stdctx.Context) error { return ctx.Err() }

func timeOfTheMachine(ctx stdctx.Context) {
	// want time.Now
	start := time.Now()
	// want time.Since
	_ = time.Since(start)
	// want time.Until
	_ = time.Until(start)
	// want time.Sleep
	time.Sleep(time.Second)
	// want time.After
	_ = time.After(time.Second)
	// want time.AfterFunc
	time.AfterFunc(time.Second, nil)
	// want time.NewTimer
	_ = time.NewTimer(time.Second)
	// want time.NewTicker
	_ = time.NewTicker(time.Second)
	// want time.Tick
	_ = time.Tick(time.Second)
	// want time.Now
	// want mark without a wait
	_ = time.Now //lockstep:bare-wait does not exempt from the rule about time
	// want context.WithTimeout
	_, _ = stdctx.WithTimeout(ctx, time.Second)
	// want context.WithTimeoutCause
	_, _ = stdctx.WithTimeoutCause(ctx, time.Second, nil)
	// want context.WithDeadline
	_, _ = stdctx.WithDeadline(ctx, start)
	// want context.WithDeadlineCause
	_, _ = stdctx.WithDeadlineCause(ctx, start, nil)
}

func bareWaits(c chan int) {
	// want channel receive
	<-c
	// want channel send
	c <- 1
	// want select
	select {
	case <-c:
		// want channel receive
		<-c
	case c <- 1:
	}
	// want go statement
	go bareWaits(c)
	// want sync.WaitGroup
	var wg sync.WaitGroup
	wg.Wait()
	// want sync.Cond
	var cond *sync.Cond
	cond.Wait()
	// want sync.NewCond
	_ = sync.NewCond(nil)
	// want mark without a reason
	<-c //lockstep:bare-wait
	// want mark without a wait
	_ = c //lockstep:bare-wait nothing waits here
}

func (c *client) mutexOverCall(ctx, requestCtx stdctx.Context) error {
	c.mu.Lock()
	// want call of c.call under a mutex
	_ = c.call(ctx)
	if err := ctx.Err(); err != nil {
		c.mu.Unlock()
		return c.call(ctx)
	}
	// want call of c.call under a mutex
	_ = c.call(requestCtx)
	c.mu.Unlock()
	return c.call(ctx)
}

func (c *client) mutexToTheEnd() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for range 3 {
		// want call of c.call under a mutex
		if err := c.call(c.ctx); err != nil {
			return err
		}
	}
	// want call of c.call under a mutex
	return c.call(stdctx.WithoutCancel(c.ctx))
}

func (c *client) mutexInOneBranch(ctx stdctx.Context, lock bool) {
	if lock {
		c.mu.Lock()
	}
	// want call of c.call under a mutex
	_ = c.call(ctx)
}
