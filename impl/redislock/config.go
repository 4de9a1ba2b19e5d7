package redislock

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockstep-sim/lockstep/impl/clock"
)

// Client is the part of go-redis that a lock needs. *redis.Client,
// *redis.ClusterClient and redis.UniversalClient satisfy it.
type Client interface {
	// Process sends one command and waits for the answer, which cmd then has.
	Process(ctx context.Context, cmd redis.Cmder) error
	// Subscribe opens a connection of its own for the given channels.
	Subscribe(ctx context.Context, channels ...string) *redis.PubSub
}

// Config says how a lock behaves. The zero value is ready for use.
type Config struct {
	// Clock is the source of time. Nil means the real one.
	Clock clock.Clock

	// TTL is the length of a lease: how long others wait at most when the
	// holder has died. At least 10 ms; fractions of a millisecond are cut off.
	// Zero means 30 s. lock.WithTTL changes it for one grant.
	TTL time.Duration

	// RenewEvery is the time between two renewals. It must be shorter than the
	// TTL. Zero means a third of the TTL.
	RenewEvery time.Duration

	// NoRenew turns the renewal off: every lease ends after its TTL.
	// lock.WithFixedLease does it for one grant.
	NoRenew bool

	// Fencing gives every lease a token. It costs a second key for each lock
	// ever used, which never expires: evicting or deleting it makes the tokens
	// start again from 1. Kinds of lock that can have none refuse it.
	Fencing bool

	// Poll bounds the time between two looks at a lock that is waited for,
	// should neither a notification nor the end of the holder's lease come
	// first. Zero means 15 s. Fair and Redlock have a meaning and a default of
	// their own for it.
	Poll time.Duration

	// RequestTimeout bounds every request. Zero means 3 s, but see NewRedlock.
	// A third of the TTL applies where that is shorter.
	RequestTimeout time.Duration

	// NewOwner makes the identity of a grant, or, where the caller names the
	// owner, of one hold. It must never return the same
	// string twice, in any process. Nil means 26 characters with 128 random
	// bits from crypto/rand.
	NewOwner func() string

	// TokenKey names the key that counts the grants of the lock named key. On
	// a cluster the two must share a hash slot. Nil means "{key}:token", or
	// "key:token" if the key has a hash tag of its own. (That fails on a
	// cluster for a key with a closing brace and no hash tag.)
	TokenKey func(key string) string

	// Channel names the channel on which a release of the lock named key is
	// announced. Nil means the like with ":released".
	Channel func(key string) string
}
