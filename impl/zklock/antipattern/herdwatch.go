package antipattern

import (
	"github.com/lockstep-sim/lockstep/impl/zklock"
	"github.com/lockstep-sim/lockstep/impl/zklock/internal/engine"
	"github.com/lockstep-sim/lockstep/impl/zklock/zkconn"
)

// HerdWatch is WRONG: every waiter watches the node of the holder. A release
// wakes all of them, all of them list the queue, and one gets the lock: with N
// waiters, N wake-ups and N requests for a grant. Instead: each watches the node
// right before its own.
//
// It implements lock.Locker.
type HerdWatch struct{ queue }

// NewHerdWatch makes one; the arguments are those of zklock.New.
func NewHerdWatch(conn zkconn.Conn, cfg zklock.Config) (*HerdWatch, error) {
	q, err := newQueue(conn, cfg)
	if err != nil {
		return nil, err
	}
	q.turn = watchTheFirst{}
	return &HerdWatch{q}, nil
}

type watchTheFirst struct{ engine.Mutex }

// Next makes the mistake.
func (watchTheFirst) Next(q []engine.Entry, own int, _ map[string]bool) engine.Step {
	if own == 0 {
		return engine.Step{}
	}
	return engine.Step{WaitFor: q[0].Name}
}
