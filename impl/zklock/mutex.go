package zklock

import (
	"context"

	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/zklock/internal/engine"
	"github.com/lockstep-sim/lockstep/impl/zklock/zkconn"
)

// Mutex grants every key to one owner at a time. It implements lock.Locker, and
// its leases implement lock.Renewer.
//
// With lock.WithOwner it is reentrant within the Mutex: who holds the lock under
// an owner gets it again under the same owner, at once and without a request, as
// another lease on the same node with the same token. The node goes with the
// last of them. Re-entry is a matter of this client, ZooKeeper knows nothing of
// it: without an owner, or in another process, a second acquire stands in the
// queue behind the first.
type Mutex struct{ engine *engine.Engine }

var exclusive = engine.Ask{Kind: engine.Exclusive, Turn: engine.Mutex{}, Reentrant: true}

// New makes a mutex on a client, which stays the caller's to close, after the
// Mutex. It sends nothing. A setting that cannot work is lock.ErrInvalid.
func New(conn zkconn.Conn, cfg Config) (*Mutex, error) {
	e, err := engine.New(conn, engine.Config(cfg))
	if err != nil {
		return nil, err
	}
	return &Mutex{engine: e}, nil
}

// Acquire implements lock.Locker. Without contention it sends two requests, and
// one more for each missing node above, the first time.
//
// A key that is empty or longer than 1024 bytes is lock.ErrInvalid, and so is
// lock.WithTTL: a lease lives with the session. lock.WithFixedLease ends the
// lease by itself, after which the client deletes the node; if the client is gone
// by then, the node goes with the session.
//
// When the connection breaks, the attempt goes on as long as its session may
// still be alive, and keeps its place in the queue. A session that expires in the
// queue is lock.ErrSessionExpired. When an attempt is given up and its node could
// not be deleted at once, the error is lock.ErrUnknownOutcome besides, and the
// deletion goes on in the background until it is done or the session has ended.
func (m *Mutex) Acquire(ctx context.Context, key string, opts ...lock.Option) (lock.Lease, error) {
	return m.engine.Acquire(ctx, exclusive, key, opts)
}

// TryAcquire implements lock.Locker. It stands in the queue for a moment, and
// fails when somebody is before it there.
func (m *Mutex) TryAcquire(ctx context.Context, key string, opts ...lock.Option) (lock.Lease, error) {
	return m.engine.TryAcquire(ctx, exclusive, key, opts)
}

// Forget deletes the node of a key that nobody holds or waits for. It is safe at
// any time: a node with a queue below is not deleted, which is an error, and the
// next Acquire makes it anew. Tokens go on growing.
func (m *Mutex) Forget(ctx context.Context, key string) error { return m.engine.Forget(ctx, key) }

// Close ends the leases and waits of this Mutex with lock.ErrClosed and deletes
// their nodes, as far as the server can be reached; what is left goes with the
// session. Closing again does nothing.
func (m *Mutex) Close() error {
	m.engine.Close()
	return nil
}
