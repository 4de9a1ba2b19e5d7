package contest

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/lockstep-sim/lockstep/impl/lock"
)

// Key is the name of the lock that is contended for. It is always the same, so
// that a real server keeps no more than one key, row or node of the demo.
const Key = "lockstep-demo"

const (
	// yield is the time between the read and the write of the counter. It
	// gives the other workers their chance to come between.
	yield = 100 * time.Microsecond
	// pause is the time until a worker whose request failed tries again.
	pause = 50 * time.Millisecond
)

// Config describes a contest.
type Config struct {
	// Duration is how long the workers go on.
	Duration time.Duration
	// NoLock lets the workers in without asking for the lock.
	NoLock bool
	// Traffic counts the requests to the backend so far. Nil means that they
	// cannot be counted.
	Traffic func() Traffic
}

// Traffic is a number of requests to a backend.
type Traffic struct {
	Requests int64 // all of them
	Renewals int64 // those that prolong a lease or a session
}

// Contest is one run of the workers. Its methods are safe for concurrent use.
type Contest struct {
	cfg     Config
	lockers []lock.Locker
	counter counter
	board   board
}

// New makes a contest with one worker for each of the lockers, which stay the
// caller's to close.
func New(cfg Config, lockers []lock.Locker) *Contest {
	c := &Contest{cfg: cfg, lockers: lockers}
	c.board.start(len(lockers), time.Time{}, 0)
	return c
}

// Probe takes and releases the lock alone, twice: once to set up what is made
// with the first grant, and once to count. It shows that the lock works at all;
// the error says why it does not.
func (c *Contest) Probe(ctx context.Context) error {
	for range 2 {
		before := c.traffic().Requests
		lease, err := c.lockers[0].Acquire(ctx, Key)
		if err != nil {
			return err
		}
		if err := lease.Release(context.WithoutCancel(ctx)); err != nil {
			return err
		}
		c.board.probed(c.traffic().Requests - before)
	}
	return nil
}

// Run lets the workers contend until the time is over or ctx ends, and returns
// when all of them have stopped and released what they held. It is called once.
func (c *Contest) Run(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, c.cfg.Duration)
	defer cancel()
	c.board.start(len(c.lockers), time.Now(), c.traffic().Requests)
	var workers sync.WaitGroup
	for i, l := range c.lockers {
		workers.Go(func() {
			for ctx.Err() == nil {
				c.turn(ctx, i, l)
			}
		})
	}
	workers.Wait()
	c.board.finish(time.Now())
}

// turn is one attempt of a worker to increment the counter.
func (c *Contest) turn(ctx context.Context, worker int, l lock.Locker) {
	if c.cfg.NoLock {
		c.board.enter(worker, 0)
		c.increment(nil)
		c.board.leave(worker)
		return
	}
	asked := time.Now()
	lease, err := l.Acquire(ctx, Key)
	if err != nil {
		if ctx.Err() == nil {
			c.failed(ctx, err)
		}
		return
	}
	c.board.enter(worker, time.Since(asked))
	c.increment(lease)
	c.board.leave(worker)
	// The time may be over by now; what is held is released all the same.
	switch err := lease.Release(context.WithoutCancel(ctx)); {
	case errors.Is(err, lock.ErrNotHeld):
		c.board.lost()
	case err != nil:
		c.failed(ctx, err)
	}
}

// increment reads, waits for a moment and writes, as a program would that has
// its counter in a file. A lease that is over by then is respected.
func (c *Contest) increment(lease lock.Lease) {
	seen := c.counter.read()
	time.Sleep(yield)
	if lease == nil || lease.Err() == nil {
		c.counter.write(seen + 1)
	}
}

// failed notes an error and gives the backend some time to recover.
func (c *Contest) failed(ctx context.Context, err error) {
	c.board.failed(err)
	t := time.NewTimer(pause)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

func (c *Contest) traffic() Traffic {
	if c.cfg.Traffic == nil {
		return Traffic{}
	}
	return c.cfg.Traffic()
}
