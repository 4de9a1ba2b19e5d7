package runner

import (
	"context"
	"fmt"

	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/redislock"
	redisanti "github.com/lockstep-sim/lockstep/impl/redislock/antipattern"
	"github.com/lockstep-sim/lockstep/sim/script"
)

// redisModeKinds builds what is more than a lock of one holder: read-write locks,
// semaphores and latches.
var redisModeKinds = map[string]func(*redisBackend, *client, redislock.Config) (lock.Locker, error){
	"redis/read-write": func(b *redisBackend, c *client, cfg redislock.Config) (lock.Locker, error) {
		rw, err := redislock.NewReadWrite(b.client(c), cfg)
		if err != nil {
			return nil, err
		}
		return modes{rw, rw.Writer()}, nil
	},
	"redis/upgrade-as-stranger": func(b *redisBackend, c *client, cfg redislock.Config) (lock.Locker, error) {
		return redisanti.NewUpgradeAsStranger(b.client(c), cfg)
	},
	"redis/semaphore": func(b *redisBackend, c *client, cfg redislock.Config) (lock.Locker, error) {
		return redislock.NewSemaphore(b.client(c), b.permits(), cfg)
	},
	"redis/counted-permits": func(b *redisBackend, c *client, cfg redislock.Config) (lock.Locker, error) {
		return redisanti.NewCountedPermits(b.client(c), b.permits(), cfg)
	},
	"redis/latch": func(b *redisBackend, c *client, cfg redislock.Config) (lock.Locker, error) {
		l, err := redislock.NewLatch(b.client(c), cfg)
		return latch{l}, err
	},
}

func (b *redisBackend) permits() int { return int(b.x.number("permits")) }

// modes is a read-write lock; a step that names no mode writes.
type modes struct {
	*redislock.ReadWrite
	lock.Locker
}

// latch is a latch where a scenario has a lock.
type latch struct{ *redislock.Latch }

var errLatch = fmt.Errorf("%w: a latch is set, counted down and waited for, not acquired", lock.ErrInvalid)

// Acquire implements lock.Locker.
func (latch) Acquire(context.Context, string, ...lock.Option) (lock.Lease, error) {
	return nil, errLatch
}

// TryAcquire implements lock.Locker.
func (latch) TryAcquire(context.Context, string, ...lock.Option) (lock.Lease, error) {
	return nil, errLatch
}

// latch is the client's latch, or an error where its lock is none.
func (c *client) latch() (latch, error) {
	if l, ok := c.locker.(latch); ok {
		return l, nil
	}
	return latch{}, fmt.Errorf("%w: this kind of lock is no latch", lock.ErrInvalid)
}

func (c *client) setLatch(s *script.Step) error {
	l, err := c.latch()
	if err != nil {
		return err
	}
	_, err = l.Set(background, c.x.key(s), int(c.x.integer(s.Args[0])))
	return err
}

func (c *client) countDown(s *script.Step) error {
	l, err := c.latch()
	if err != nil {
		return err
	}
	_, err = l.CountDown(background, c.x.key(s))
	return err
}

func (c *client) await(s *script.Step) error {
	l, err := c.latch()
	if err != nil {
		return err
	}
	ctx, cancel := c.limited(s)
	defer cancel()
	return l.Wait(ctx, c.x.key(s))
}
