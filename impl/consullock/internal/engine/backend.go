package engine

import (
	"context"
	"time"
)

// Backend is what a lock needs of Consul. Its methods block only in a request.
// An error that is [ErrRejected] was answered by the server and changed nothing;
// one that is [ErrNotSent] never left; after any other one it is unknown whether
// the server carried the request out.
type Backend interface {
	// CreateSession creates a session without health checks.
	CreateSession(ctx context.Context, spec SessionSpec) (id string, err error)

	// RenewSession gives the session its full TTL again. It reports false when
	// the session does not exist.
	RenewSession(ctx context.Context, id string) (bool, error)

	// DestroySession invalidates the session, which frees what it holds and
	// starts the lock-delay. An unknown session is no error.
	DestroySession(ctx context.Context, id string) error

	// Lock takes p for c in one transaction, provided that p still is as it was
	// seen. It returns the index of the grant.
	Lock(ctx context.Context, p Place, c Claim) (index uint64, v Verdict, err error)

	// Unlock deletes the key of a grant for c, provided that the key still has
	// the given index. It reports whether it did.
	Unlock(ctx context.Context, p Place, c Claim) (bool, error)

	// Get returns the key as the current leader has it. It never waits.
	Get(ctx context.Context, key string) (Entry, error)

	// WatchKey returns the key once its index exceeds since, which 0 always
	// does, or when wait has passed, with the index to go on from.
	WatchKey(ctx context.Context, key string, since uint64, wait time.Duration) (Entry, uint64, error)

	// WatchTree is WatchKey for all keys that start with prefix.
	WatchTree(ctx context.Context, prefix string, since uint64, wait time.Duration) ([]Entry, uint64, error)
}

// SessionSpec describes a session to create. A LockDelay of zero means none.
type SessionSpec struct {
	Name      string
	TTL       time.Duration
	LockDelay time.Duration
	Behavior  string
}

// Entry is a key as the server has it. An absent one has index 0.
type Entry struct {
	Key     string
	Index   uint64 // ModifyIndex
	Session string // that holds the key, or empty
	Owner   string // the value
	Flags   uint64
}

// Place is a key in the state in which it was seen: absent where the index is 0.
type Place struct {
	Key   string
	Index uint64
}

// Claim is who wants a place. The session identifies a process and the owner
// one grant within it.
type Claim struct {
	Session string
	Owner   string
	Flags   uint64 // marks the key as part of a lock of this kind
}

// holds reports whether e belongs to the grant for which c was made.
func (c Claim) holds(e Entry) bool { return e.Session == c.Session && e.Owner == c.Owner }

// Verdict is the answer to an attempt to take a place.
type Verdict int

// The verdicts.
const (
	Refused     Verdict = iota // the place is not free as it was seen
	Granted                    // the claim holds the place
	Delayed                    // a lock-delay keeps everybody out
	SessionGone                // the session of the claim does not exist
)
