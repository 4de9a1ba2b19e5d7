package engine

import (
	"fmt"
	"time"

	"github.com/lockstep-sim/lockstep/impl/lock"
)

// Claim is what one Acquire asks for: a lock, under an identity that no other
// grant ever had, for a time.
type Claim struct {
	Key      string
	TokenKey string
	// Channel is where a release is announced.
	Channel string
	// Listen is the channel that a waiter subscribes to: Channel, or one of
	// the claim's own where waiters are woken one by one.
	Listen string
	Owner  string
	// Hold tells apart the grants of one owner. It is Owner itself unless the
	// caller named one.
	Hold string
	// TTL is a whole number of milliseconds, the unit of Redis.
	TTL time.Duration
	// Drift is what a holder takes off the TTL, because the servers' clocks
	// need not run at the speed of its own.
	Drift time.Duration
	// Timeout bounds every request on behalf of the claim.
	Timeout time.Duration
	// Fixed means that nothing renews the lease.
	Fixed bool
	// Queued means that a refused attempt stands in a queue on the server.
	Queued bool
}

// Millis is the TTL in the unit of PX and PEXPIRE.
func (c Claim) Millis() int64 { return c.TTL.Milliseconds() }

// Beside names a further key of the lock, in the hash slot of the lock itself.
func (c Claim) Beside(suffix string) string { return sameSlot(c.Key) + ":" + suffix }

// deadline is when a lease ends whose request was sent at the given time.
func (c Claim) deadline(sent time.Time) time.Time { return sent.Add(c.TTL - c.Drift) }

// Claim is a claim on key without options, for requests that are about no lease.
// The error is lock.ErrInvalid.
func (e *Engine) Claim(key string) (Claim, error) { return e.newClaim(key, nil) }

func (e *Engine) newClaim(key string, opts []lock.Option) (Claim, error) {
	r := lock.NewRequest(opts...)
	if err := checkKey(key); err != nil {
		return Claim{}, err
	}
	if err := e.checkOwner(r.Owner); err != nil {
		return Claim{}, err
	}
	ttl := orDefault(r.TTL, e.cfg.TTL)
	if err := e.cfg.checkTTL(ttl); err != nil {
		return Claim{}, err
	}
	c := e.claim(key, ttl)
	c.Fixed = r.Fixed || e.cfg.NoRenew
	if r.Owner != "" {
		c.Owner = r.Owner
	}
	if e.Queued {
		c.Listen += ":" + c.Owner
	}
	if e.Drift != nil {
		c.Drift = e.Drift(c.TTL)
	}
	return c, nil
}

func (e *Engine) claim(key string, ttl time.Duration) Claim {
	id, channel := e.cfg.NewOwner(), e.cfg.Channel(key)
	return Claim{
		Key: key, TokenKey: e.cfg.TokenKey(key), Channel: channel, Listen: channel,
		Owner: id, Hold: id,
		TTL: ttl.Truncate(time.Millisecond), Timeout: e.cfg.requestTimeout(ttl),
	}
}

func (e *Engine) checkOwner(owner string) error {
	if owner != "" && !e.Reentrant {
		return fmt.Errorf("%w: this lock is not reentrant, so it takes no owner", lock.ErrInvalid)
	}
	if len(owner) > maxKey {
		return fmt.Errorf("%w: the owner has %d bytes, the limit is %d", lock.ErrInvalid, len(owner), maxKey)
	}
	return nil
}

func checkKey(key string) error {
	if key == "" {
		return fmt.Errorf("%w: the key is empty", lock.ErrInvalid)
	}
	if len(key) > maxKey {
		return fmt.Errorf("%w: the key has %d bytes, the limit is %d", lock.ErrInvalid, len(key), maxKey)
	}
	return nil
}
