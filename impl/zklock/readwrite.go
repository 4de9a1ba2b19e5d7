package zklock

import (
	"context"

	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/zklock/internal/engine"
	"github.com/lockstep-sim/lockstep/impl/zklock/zkconn"
)

// ReadWrite is a lock that many may hold for reading, or one for writing. The
// queue is fair: a reader that comes after a waiting writer waits for it.
//
// With lock.WithOwner it is reentrant like [Mutex], across its two sides: who
// writes may also read, and goes on reading when the last lease for writing is
// released (a downgrade, which lets the readers right behind it in). Who only
// reads cannot come to write: two of them would wait for each other, so that is
// lock.ErrInvalid.
type ReadWrite struct{ engine *engine.Engine }

// NewReadWrite makes a read-write lock; see [New]. Its keys must not be used with
// another kind of lock on the same base path.
func NewReadWrite(conn zkconn.Conn, cfg Config) (*ReadWrite, error) {
	e, err := engine.New(conn, engine.Config(cfg))
	if err != nil {
		return nil, err
	}
	return &ReadWrite{engine: e}, nil
}

// Reader grants leases for reading. Tokens of readers grow in the order of their
// arrival.
func (rw *ReadWrite) Reader() lock.Locker {
	return side{rw.engine, engine.Ask{Kind: engine.Read, Turn: engine.Reader{}, Reentrant: true}}
}

// Writer grants leases for writing.
func (rw *ReadWrite) Writer() lock.Locker {
	return side{rw.engine, engine.Ask{Kind: engine.Write, Turn: engine.Writer{}, Reentrant: true}}
}

// Forget is that of [Mutex].
func (rw *ReadWrite) Forget(ctx context.Context, key string) error { return rw.engine.Forget(ctx, key) }

// Close is that of [Mutex].
func (rw *ReadWrite) Close() error {
	rw.engine.Close()
	return nil
}

// side is one side of a read-write lock.
type side struct {
	engine *engine.Engine
	ask    engine.Ask
}

// Acquire implements lock.Locker.
func (s side) Acquire(ctx context.Context, key string, opts ...lock.Option) (lock.Lease, error) {
	return s.engine.Acquire(ctx, s.ask, key, opts)
}

// TryAcquire implements lock.Locker.
func (s side) TryAcquire(ctx context.Context, key string, opts ...lock.Option) (lock.Lease, error) {
	return s.engine.TryAcquire(ctx, s.ask, key, opts)
}
