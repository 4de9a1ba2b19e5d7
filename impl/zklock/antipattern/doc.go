// Package antipattern holds locks on ZooKeeper that are WRONG, each in one
// respect: a look left out, the wrong node watched, a key made ambiguous.
//
// They exist to be watched failing, by lessons, scenarios and tests. Nothing
// else may import them. Except for its one mistake each is zklock.Mutex itself:
// the same queue, the same clean-up, the same renewal.
//
// What belongs here: one type a file, whose doc names the mistake, what it
// leads to, and what to do instead. What does not: anything worth copying.
package antipattern

import (
	"context"

	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/zklock"
	"github.com/lockstep-sim/lockstep/impl/zklock/internal/engine"
	"github.com/lockstep-sim/lockstep/impl/zklock/zkconn"
)

// queue is a mutex in which one thing is going to be changed.
type queue struct {
	engine *engine.Engine
	turn   engine.Turn
}

func newQueue(conn zkconn.Conn, cfg zklock.Config) (queue, error) {
	e, err := engine.New(conn, engine.Config(cfg))
	return queue{engine: e, turn: engine.Mutex{}}, err
}

func (q queue) ask() engine.Ask {
	return engine.Ask{Kind: engine.Exclusive, Turn: q.turn, Reentrant: true}
}

// Acquire implements lock.Locker.
func (q queue) Acquire(ctx context.Context, key string, opts ...lock.Option) (lock.Lease, error) {
	return q.engine.Acquire(ctx, q.ask(), key, opts)
}

// TryAcquire implements lock.Locker.
func (q queue) TryAcquire(ctx context.Context, key string, opts ...lock.Option) (lock.Lease, error) {
	return q.engine.TryAcquire(ctx, q.ask(), key, opts)
}

// Close is that of zklock.Mutex.
func (q queue) Close() error {
	q.engine.Close()
	return nil
}
