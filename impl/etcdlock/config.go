package etcdlock

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"time"

	"github.com/lockstep-sim/lockstep/impl/clock"
	"github.com/lockstep-sim/lockstep/impl/lock"
)

const (
	// MinTTL is the shortest session: etcd counts leases in whole seconds. A
	// server raises it further, to one and a half election timeouts, 2 s by
	// default; the local deadline counts from what the server grants.
	MinTTL = time.Second

	// MaxKey is the length limit of a lock's name in bytes. etcd has none of
	// its own, but every waiter reads names of this length.
	MaxKey = 1024

	defaultTTL = 10 * time.Second

	// retryPause lies between two attempts of a request that got no answer.
	retryPause = 100 * time.Millisecond
)

// Config sets up a [Locker]. The zero value is ready for use.
type Config struct {
	// TTL is the lease time of the session in whole seconds, from [MinTTL] up.
	// A crashed holder blocks the lock for so long, plus the half second or so
	// within which etcd notices that a lease has run out. It is renewed every
	// third of it. Zero means 10 s. lock.WithTTL and lock.WithFixedLease give
	// one grant a session of its own.
	TTL time.Duration

	// RequestTimeout bounds every attempt of a request; one without an answer
	// is repeated for as long again. Zero means a quarter of TTL, and 3 s at
	// most.
	RequestTimeout time.Duration

	// Clock is the source of time. Nil means the real one.
	Clock clock.Clock

	// NewOwner makes the identity of a grant. It must never return the same
	// string twice, in any process. Nil means 26 characters with 128 random
	// bits from crypto/rand.
	NewOwner func() string

	// NewLeaseID makes the name of a session, which is not 0 and no other's in
	// this etcd. Nil means 62 random bits from crypto/rand.
	NewLeaseID func() LeaseID
}

// WithDefaults fills in what is zero and checks the rest. The error is
// [lock.ErrInvalid].
func (c Config) WithDefaults() (Config, error) {
	if c.TTL == 0 {
		c.TTL = defaultTTL
	}
	if err := checkTTL(c.TTL); err != nil {
		return c, err
	}
	if c.RequestTimeout == 0 {
		c.RequestTimeout = min(c.TTL/4, 3*time.Second)
	}
	if c.RequestTimeout < 0 || c.RequestTimeout >= c.TTL {
		return c, fmt.Errorf("%w: request timeout %v is not between 0 and the TTL of %v", lock.ErrInvalid, c.RequestTimeout, c.TTL)
	}
	c.Clock = clock.Or(c.Clock)
	if c.NewOwner == nil {
		c.NewOwner = rand.Text
	}
	if c.NewLeaseID == nil {
		c.NewLeaseID = randomLeaseID
	}
	return c, nil
}

func checkTTL(ttl time.Duration) error {
	if ttl < MinTTL || ttl%time.Second != 0 {
		return fmt.Errorf("%w: TTL %v: etcd leases last whole seconds, at least %v", lock.ErrInvalid, ttl, MinTTL)
	}
	return nil
}

// checkRequest refuses, before etcd is asked, what cannot be granted.
func checkRequest(key string, req lock.Request) error {
	switch {
	case key == "":
		return fmt.Errorf("%w: the key is empty", lock.ErrInvalid)
	case len(key) > MaxKey:
		return fmt.Errorf("%w: the key has %d bytes, at most %d are allowed", lock.ErrInvalid, len(key), MaxKey)
	case req.Owner != "":
		return fmt.Errorf("%w: etcdlock is not reentrant, an owner cannot be chosen", lock.ErrInvalid)
	case req.Fixed && req.TTL <= 0:
		return fmt.Errorf("%w: fixed lease of %v", lock.ErrInvalid, req.TTL)
	case !req.Fixed && req.TTL != 0:
		return checkTTL(req.TTL)
	}
	return nil
}

// randomLeaseID makes the name of a lease: positive, as etcd's own are, so that
// it is written without a sign, and odd, so that it is never the 0 that means no
// lease.
func randomLeaseID() LeaseID {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return LeaseID(binary.BigEndian.Uint64(b[:])>>1 | 1)
}
