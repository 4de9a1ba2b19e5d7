package consullock

import (
	"context"
	"time"
)

// backend is what a lock needs of Consul. Its methods block only in a request.
// An error that is errRejected was answered by the server and changed nothing;
// one that is errNotSent never left; after any other one it is unknown whether
// the server carried the request out.
type backend interface {
	// createSession creates a session without health checks.
	createSession(ctx context.Context, spec sessionSpec) (id string, err error)

	// renewSession gives the session its full TTL again. It reports false when
	// the session does not exist.
	renewSession(ctx context.Context, id string) (bool, error)

	// destroySession invalidates the session, which frees what it holds and
	// starts the lock-delay. An unknown session is no error.
	destroySession(ctx context.Context, id string) error

	// lock takes p for c in one transaction, provided that p still is as it was
	// seen. It returns the index of the grant.
	lock(ctx context.Context, p place, c claim) (index uint64, v verdict, err error)

	// unlock deletes the key, provided that it still has the given index. It
	// reports whether it did.
	unlock(ctx context.Context, key string, index uint64) (bool, error)

	// get returns the key as the current leader has it. It never waits.
	get(ctx context.Context, key string) (entry, error)

	// watchKey returns the key once its index exceeds since, which 0 always
	// does, or when wait has passed, with the index to go on from.
	watchKey(ctx context.Context, key string, since uint64, wait time.Duration) (entry, uint64, error)

	// watchTree is watchKey for all keys that start with prefix.
	watchTree(ctx context.Context, prefix string, since uint64, wait time.Duration) ([]entry, uint64, error)
}

// sessionSpec describes a session to create.
type sessionSpec struct {
	name      string
	ttl       time.Duration
	lockDelay time.Duration // zero means none
	behavior  Behavior
}

// entry is a key as the server has it. An absent one has index 0.
type entry struct {
	key     string
	index   uint64 // ModifyIndex
	session string // that holds the key, or empty
	owner   string // the value
	flags   uint64
}

// place is a key that was seen free: absent where the index is 0, and otherwise
// present without a holder.
type place struct {
	key   string
	index uint64
}

// claim is who wants a place. The session identifies a process and the owner
// one grant within it.
type claim struct {
	session string
	owner   string
	flags   uint64 // marks the key as part of a lock of this kind
}

// holds reports whether e belongs to the grant for which c was made.
func (c claim) holds(e entry) bool { return e.session == c.session && e.owner == c.owner }

// verdict is the answer to an attempt to take a place.
type verdict int

const (
	refused     verdict = iota // the place is not free as it was seen
	granted                    // the claim holds the place
	delayed                    // a lock-delay keeps everybody out
	sessionGone                // the session of the claim does not exist
)
