package lock

import "errors"

// The errors of every implementation. Test for them with errors.Is: they come
// wrapped with the key and, where there is one, the cause.
var (
	// ErrNotAcquired: the lock was not granted. Nothing was left behind.
	ErrNotAcquired = errors.New("lock not acquired")

	// ErrNotHeld: the lease had ended before the call, by time, by loss or by
	// an earlier release.
	ErrNotHeld = errors.New("lock not held")

	// ErrReleased: the lease ended because its holder released it.
	ErrReleased = errors.New("lock released")

	// ErrLost: the lease ended without a release.
	ErrLost = errors.New("lock lost")

	// ErrSessionExpired: the session that carried the lease ended.
	ErrSessionExpired = errors.New("lock session expired")

	// ErrClosed: the Locker was closed.
	ErrClosed = errors.New("locker closed")

	// ErrUnknownOutcome: a request was sent, no answer came, and whether the
	// backend carried it out could not be found out.
	ErrUnknownOutcome = errors.New("lock outcome unknown")

	// ErrInvalid: a key, option or setting that no backend was asked about.
	ErrInvalid = errors.New("invalid lock request")
)
