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
	Channel  string
	Owner    string
	// TTL is a whole number of milliseconds, the unit of Redis.
	TTL time.Duration
	// Timeout bounds every request on behalf of the claim.
	Timeout time.Duration
	// Fixed means that nothing renews the lease.
	Fixed bool
}

// Millis is the TTL in the unit of PX and PEXPIRE.
func (c Claim) Millis() int64 { return c.TTL.Milliseconds() }

func (e *Engine) newClaim(key string, opts []lock.Option) (Claim, error) {
	r := lock.NewRequest(opts...)
	if err := checkKey(key); err != nil {
		return Claim{}, err
	}
	if r.Owner != "" {
		return Claim{}, fmt.Errorf("%w: this lock is not reentrant, so it takes no owner", lock.ErrInvalid)
	}
	ttl := orDefault(r.TTL, e.cfg.TTL)
	if err := e.cfg.checkTTL(ttl); err != nil {
		return Claim{}, err
	}
	return Claim{
		Key: key, TokenKey: e.cfg.TokenKey(key), Channel: e.cfg.Channel(key),
		Owner: e.cfg.NewOwner(),
		TTL:   ttl.Truncate(time.Millisecond), Timeout: e.cfg.requestTimeout(ttl),
		Fixed: r.Fixed || e.cfg.NoRenew,
	}, nil
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
