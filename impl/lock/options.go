package lock

import "time"

// Option changes one Acquire or TryAcquire.
type Option func(*Request)

// Request is what the options of one call add up to. Implementations read it;
// callers use the option functions.
type Request struct {
	// TTL is the lease time for this grant; 0 means the Locker's own.
	TTL time.Duration
	// Fixed means that the lease is not renewed in the background.
	Fixed bool
	// Owner asks for re-entry under this identity; empty means a fresh one.
	Owner string
}

// WithTTL sets the lease time of this grant. Renewal goes on as configured.
func WithTTL(d time.Duration) Option {
	return func(r *Request) { r.TTL = d }
}

// WithFixedLease grants the lock for d and not longer: nothing renews it. By
// the convention of the field (Redisson's leaseTime) asking for an explicit
// lease is how a caller turns the watchdog off.
func WithFixedLease(d time.Duration) Option {
	return func(r *Request) { r.TTL, r.Fixed = d, true }
}

// WithOwner names the owner for locks that can be re-entered: a second acquire
// with the same owner succeeds at once. Goroutines have no identity, hence the
// explicit value. Locks that are not reentrant return [ErrInvalid].
func WithOwner(owner string) Option {
	return func(r *Request) { r.Owner = owner }
}

// NewRequest adds up opts.
func NewRequest(opts ...Option) Request {
	var r Request
	for _, o := range opts {
		o(&r)
	}
	return r
}
