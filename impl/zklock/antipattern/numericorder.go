package antipattern

import (
	"cmp"
	"context"
	"slices"

	"github.com/lockstep-sim/lockstep/impl/zklock"
	"github.com/lockstep-sim/lockstep/impl/zklock/internal/engine"
	"github.com/lockstep-sim/lockstep/impl/zklock/zkconn"
)

// NumericOrder is WRONG: it orders the queue by the sequence numbers as numbers,
// past the end of their range. After 2147483647 comes -2147483648, which stands
// first: the newcomer is let in beside the holder. Where the server repeats
// 2147483647 instead, nobody has a smaller number than anybody, and all are let
// in. It happens: https://github.com/python-zk/kazoo/issues/730. Instead: at the end of the range
// order the nodes by the transactions that made them.
//
// It implements lock.Locker.
type NumericOrder struct{ queue }

// NewNumericOrder makes one; the arguments are those of zklock.New.
func NewNumericOrder(conn zkconn.Conn, cfg zklock.Config) (*NumericOrder, error) {
	q, err := newQueue(conn, cfg)
	if err != nil {
		return nil, err
	}
	q.engine.InOrder = byNumber
	return &NumericOrder{q}, nil
}

// byNumber makes the mistake.
func byNumber(_ context.Context, t *engine.Ticket, q []engine.Entry) ([]engine.Entry, error) {
	slices.SortFunc(q, func(a, b engine.Entry) int {
		switch {
		case a.Seq != b.Seq:
			return cmp.Compare(a.Seq, b.Seq)
		case t.Owns(a.Name): // no other one is smaller
			return -1
		case t.Owns(b.Name):
			return 1
		}
		return cmp.Compare(a.Name, b.Name)
	})
	return q, nil
}
