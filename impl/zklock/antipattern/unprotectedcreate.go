package antipattern

import (
	"context"

	"github.com/lockstep-sim/lockstep/impl/zklock"
	"github.com/lockstep-sim/lockstep/impl/zklock/internal/engine"
	"github.com/lockstep-sim/lockstep/impl/zklock/zkconn"
)

// UnprotectedCreate is WRONG: when the answer to a create is lost, it creates
// again and does not look for what the first one made. If that was carried out,
// its node stands in the queue for as long as the session lives, nobody knows
// that it is theirs, and everybody waits behind it, its maker first
// (https://issues.apache.org/jira/browse/ZOOKEEPER-1262). Instead: put a random
// id into the name, and look for it.
//
// It implements lock.Locker.
type UnprotectedCreate struct{ queue }

// NewUnprotectedCreate makes one; the arguments are those of zklock.New.
func NewUnprotectedCreate(conn zkconn.Conn, cfg zklock.Config) (*UnprotectedCreate, error) {
	q, err := newQueue(conn, cfg)
	if err != nil {
		return nil, err
	}
	q.engine.Find = findNothing
	return &UnprotectedCreate{q}, nil
}

// findNothing makes the mistake.
func findNothing(context.Context, *engine.Ticket) (bool, error) { return false, nil }
