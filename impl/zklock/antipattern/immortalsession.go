package antipattern

import (
	"context"
	"time"

	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/zklock"
	"github.com/lockstep-sim/lockstep/impl/zklock/internal/engine"
	"github.com/lockstep-sim/lockstep/impl/zklock/zkconn"
)

// ImmortalSession is WRONG: it takes the session to live for ever. It neither
// counts for itself how long the server may have heard nothing of it, nor listens
// when the client learns that the session has expired. A holder that was cut off
// or paused for longer than the session timeout believes in a lock that another
// one has. Instead: end the lease one timeout after the last request that was
// answered, and when the session ends.
//
// It implements lock.Locker.
type ImmortalSession struct{ queue }

// NewImmortalSession makes one; the arguments are those of zklock.New.
func NewImmortalSession(conn zkconn.Conn, cfg zklock.Config) (*ImmortalSession, error) {
	if conn != nil {
		conn = immortal{conn}
	}
	q, err := newQueue(conn, cfg)
	if err != nil {
		return nil, err
	}
	return &ImmortalSession{q}, nil
}

// Acquire implements lock.Locker.
func (l *ImmortalSession) Acquire(ctx context.Context, key string, opts ...lock.Option) (lock.Lease, error) {
	return unending(l.queue.Acquire(ctx, key, opts...))
}

// TryAcquire implements lock.Locker.
func (l *ImmortalSession) TryAcquire(ctx context.Context, key string, opts ...lock.Option) (lock.Lease, error) {
	return unending(l.queue.TryAcquire(ctx, key, opts...))
}

// endless is a lease that its holder takes to last until it is released.
type endless struct{ *engine.Lease }

// Deadline implements lock.Lease.
func (endless) Deadline() time.Time { return time.Time{} }

func unending(l lock.Lease, err error) (lock.Lease, error) {
	if err != nil {
		return nil, err
	}
	return endless{l.(*engine.Lease)}, nil
}

// forEver is longer than anything runs.
const forEver = 100 * 365 * 24 * time.Hour

// immortal makes the mistake.
type immortal struct{ zkconn.Conn }

// Session implements zkconn.Conn.
func (c immortal) Session() zkconn.Session {
	return zkconn.Session{ID: c.Conn.Session().ID, Timeout: forEver}
}

// OnSessionEnd implements zkconn.Conn.
func (c immortal) OnSessionEnd(func(id int64)) (stop func()) { return func() {} }
