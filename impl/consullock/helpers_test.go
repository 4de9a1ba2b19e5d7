package consullock

import (
	"errors"
	"testing"

	"github.com/lockstep-sim/lockstep/impl/lock"
)

// mustBeLost checks that a lease turns out to be lost.
func mustBeLost(t testing.TB, lease lock.Lease) {
	t.Helper()
	if err := lease.Release(background); !errors.Is(err, lock.ErrNotHeld) {
		t.Fatalf("release: %v, want ErrNotHeld", err)
	}
}
