package redislock

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/redislock/internal/engine"
	"github.com/lockstep-sim/lockstep/impl/redislock/internal/lua"
)

// ErrNoLatch: the latch was never set, or its time has run out. A latch whose
// time runs out does not open.
var ErrNoLatch = errors.New("no such latch")

// Latch is a count-down latch: any number of callers wait until a count, which
// others bring down, is zero. It is not a lock and has no leases.
//
// A latch lasts for Config.TTL after it was set, and again after it opened, so
// that what is forgotten does not stay for ever.
type Latch struct {
	engine *engine.Engine
	conn   engine.Conn
}

// NewLatch makes a handle for latches. It sends nothing. A setting that cannot
// work, and Config.Fencing, is lock.ErrInvalid.
func NewLatch(rdb Client, cfg Config) (*Latch, error) {
	if err := refuseFencing(cfg, "a latch is not a lock"); err != nil {
		return nil, err
	}
	e, err := engine.New(rdb, nil, engine.Config(cfg)) // no Protocol: nothing is granted
	if err != nil {
		return nil, err
	}
	return &Latch{e, engine.NewConn(rdb, cfg.Clock)}, nil
}

// Set makes a latch that opens after count calls of CountDown, at least one. It
// reports false if there is one of that name, open or not, and leaves it alone.
func (l *Latch) Set(ctx context.Context, key string, count int) (bool, error) {
	if count < 1 {
		return false, fmt.Errorf("redislock: set latch %q: %w: count %d, it must be at least one", key, lock.ErrInvalid, count)
	}
	c, err := l.engine.Claim(key)
	if err != nil {
		return false, describe("set", key, err)
	}
	set, err := lua.LatchSet.Run(ctx, l.conn, c, []string{key}, count, c.Millis()).Bool()
	return set, describe("set", key, err)
}

// CountDown counts down by one and returns what is left. On an open latch it
// does nothing. It is sent a second time if no answer comes, and is counted once
// all the same; if there is no answer again, the error is lock.ErrUnknownOutcome.
func (l *Latch) CountDown(ctx context.Context, key string) (left int, err error) {
	c, err := l.engine.Claim(key)
	if err != nil {
		return 0, describe("count down", key, err)
	}
	left, err = l.countDown(ctx, c)
	if err != nil && !engine.ChangedNothing(err) {
		left, err = l.countDown(ctx, c)
		if err != nil {
			err = fmt.Errorf("%w: %w", lock.ErrUnknownOutcome, err)
		}
	}
	if err == nil && left < 0 {
		left, err = 0, ErrNoLatch
	}
	return left, describe("count down", key, err)
}

func (l *Latch) countDown(ctx context.Context, c engine.Claim) (int, error) {
	return lua.LatchCount.Run(ctx, l.conn, c, []string{c.Key}, c.Hold, c.Channel, c.Millis()).Int()
}

// Wait returns nil when the latch is open. It returns [ErrNoLatch] when there is
// none, also if that happens while it waits, and the error of ctx when that ends.
// An error of the connection ends the waiting.
func (l *Latch) Wait(ctx context.Context, key string) error {
	c, err := l.engine.Claim(key)
	if err != nil {
		return describe("wait for", key, err)
	}
	var pttl int64
	err = l.engine.Await(ctx, c, func() (open bool, err error) {
		var left int64
		left, pttl, err = lua.LatchLook.RunPair(ctx, l.conn, c, []string{key})
		if err == nil && left < 0 {
			err = ErrNoLatch
		}
		return left == 0, err
	}, func() (time.Duration, error) {
		return engine.UntilExpired(pttl), nil
	})
	return describe("wait for", key, err)
}

// describe says what was done with which latch when err happened.
func describe(verb, key string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("redislock: %s latch %q: %w", verb, key, err)
}
