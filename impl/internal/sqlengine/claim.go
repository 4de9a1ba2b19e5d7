package sqlengine

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/lockstep-sim/lockstep/impl/lock"
)

// MaxKey is the longest name that fits into every database's key column, in
// bytes.
const MaxKey = 255

// Claim is what one Acquire asks for.
type Claim struct {
	Key string
	// Owner stands in the row. Without re-entry no other grant ever has it.
	Owner string
	// ID belongs to this grant alone, even if it is a re-entry under an Owner
	// that holds the lock already.
	ID string
	// TTL is a whole number of milliseconds, the unit of the table.
	TTL time.Duration
	// Fixed means that nothing renews the lease.
	Fixed bool
}

// Millis is the TTL in the unit of the table.
func (c Claim) Millis() int64 { return c.TTL.Milliseconds() }

func (e *Engine) newClaim(key string, opts []lock.Option) (Claim, error) {
	r := lock.NewRequest(opts...)
	if err := CheckName("key", key); err != nil {
		return Claim{}, err
	}
	ttl := orDefault(r.TTL, e.cfg.TTL)
	if err := e.cfg.checkTTL(ttl); err != nil {
		return Claim{}, err
	}
	id := e.cfg.NewOwner()
	owner, err := e.owner(r.Owner, id)
	return Claim{
		Key: key, Owner: owner, ID: id,
		TTL:   ttl.Truncate(time.Millisecond),
		Fixed: r.Fixed || e.cfg.NoRenew,
	}, err
}

func (e *Engine) owner(asked, fresh string) (string, error) {
	switch {
	case asked == "":
		return fresh, nil
	case !e.cfg.Reentrant:
		return "", fmt.Errorf("%w: this lock is not reentrant, so it takes no owner", lock.ErrInvalid)
	}
	return asked, CheckName("owner", asked)
}

// CheckName refuses what not every database stores as it is. The error is
// lock.ErrInvalid.
func CheckName(what, name string) error {
	switch {
	case name == "":
		return fmt.Errorf("%w: the %s is empty", lock.ErrInvalid, what)
	case len(name) > MaxKey:
		return fmt.Errorf("%w: the %s has %d bytes, the limit is %d", lock.ErrInvalid, what, len(name), MaxKey)
	case !utf8.ValidString(name) || strings.ContainsRune(name, 0):
		return fmt.Errorf("%w: the %s %q must be UTF-8 without NUL", lock.ErrInvalid, what, name)
	}
	return nil
}
