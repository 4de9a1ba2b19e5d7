package antipattern

import (
	"context"
	"fmt"

	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/redislock"
	"github.com/lockstep-sim/lockstep/impl/redislock/internal/engine"
)

// TokenReadLater is WRONG: every grant is counted, but a holder looks at the
// counter when it needs a token, and not when it is granted the lock. One that
// was paused for longer than its lease reads the number of its successor, and
// its stale write passes for the successor's. Instead: take the token from the
// answer that grants.
//
// It implements lock.Locker. Its leases are [LateLease]s.
type TokenReadLater struct {
	*engine.Engine
	conn engine.Conn
}

// NewTokenReadLater makes one; the arguments are those of redislock.New. It counts
// grants whatever Config.Fencing says.
func NewTokenReadLater(rdb redislock.Client, cfg redislock.Config) (*TokenReadLater, error) {
	cfg.Fencing = true
	p := correct(rdb, cfg)
	e, err := newEngine(rdb, p, cfg)
	if err != nil {
		return nil, err
	}
	return &TokenReadLater{e, p.Conn}, nil
}

// Acquire implements lock.Locker.
func (t *TokenReadLater) Acquire(ctx context.Context, key string, opts ...lock.Option) (lock.Lease, error) {
	return t.late(t.Engine.Acquire(ctx, key, opts...))
}

// TryAcquire implements lock.Locker.
func (t *TokenReadLater) TryAcquire(ctx context.Context, key string, opts ...lock.Option) (lock.Lease, error) {
	return t.late(t.Engine.TryAcquire(ctx, key, opts...))
}

func (t *TokenReadLater) late(lease lock.Lease, err error) (lock.Lease, error) {
	if err != nil {
		return nil, err
	}
	return &LateLease{Lease: lease.(*engine.Lease), conn: t.conn}, nil
}

// LateLease is a lease without a token until ReadToken is called.
type LateLease struct {
	*engine.Lease
	conn  engine.Conn
	token lock.Token
}

// Token implements lock.Lease.
func (l *LateLease) Token() (lock.Token, bool) { return l.token, l.token != 0 }

// ReadToken makes the mistake: it reads the counter as it stands now.
func (l *LateLease) ReadToken(ctx context.Context) error {
	c := l.Claim()
	n, err := l.conn.Do(ctx, c, "GET", c.TokenKey).Uint64()
	if err != nil {
		return fmt.Errorf("antipattern: read the token of %q: %w", c.Key, err)
	}
	l.token = lock.Token(n)
	return nil
}
