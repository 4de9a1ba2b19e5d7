package locktest

import (
	"testing"
	"testing/synctest"

	"go.uber.org/goleak"

	"github.com/lockstep-sim/lockstep/impl/lock"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func suite(f flaw, caps Capabilities) Suite {
	caps.TTL = fakeTTL
	return Suite{
		Capabilities: caps,
		In:           synctest.Test,
		Start: func(t *testing.T) Backend {
			s := newServer(f)
			t.Cleanup(func() { close(s.closed) })
			return Backend{
				Client: func(*testing.T) (lock.Locker, func()) {
					c := &client{server: s, caps: caps}
					return c, func() { c.crashed.Store(true) }
				},
				Left:    func(*testing.T) []string { return s.left() },
				Waiting: func(_ *testing.T, key string) int { return s.waiting(key) },
			}
		},
	}
}

var everything = Capabilities{Fencing: true, Fair: true, Reentrant: true}

func TestACorrectLockPasses(t *testing.T) {
	t.Run("with all capabilities", func(t *testing.T) { Run(t, suite(none, everything)) })
	t.Run("with none", func(t *testing.T) { Run(t, suite(none, Capabilities{})) })
}

// A lock that breaks a rule must fail, and in the test that is about the rule.
func TestEachFlawIsFound(t *testing.T) {
	for f, by := range map[flaw]string{
		grantsToAll:       "a held lock is refused, and other keys are not",
		neverExpires:      "a crashed holder is succeeded",
		expiresEarly:      "a lease without renewal ends in time",
		freesAnybody:      "a late release does not free the successor",
		hidesLateRelease:  "a late release does not free the successor",
		releasesTwice:     "one of two releases of a lease succeeds",
		keepsWaiters:      "a wait that is cancelled leaves nothing",
		keepsDeadWaiters:  "a crashed waiter is passed over",
		ignoresCancel:     "a wait that is cancelled leaves nothing",
		hidesCancel:       "a wait that is cancelled leaves nothing",
		endsWithContext:   "the context bounds the waiting and not the hold",
		ignoresEndedCtx:   "a context that has ended acquires nothing",
		equalTokens:       "tokens grow",
		withoutToken:      "tokens grow",
		equalOwners:       "every grant has an owner of its own",
		overtakes:         "waiters are served in order",
		doesNotRenew:      "renewal keeps a lease",
		doneStaysOpen:     "a lease without renewal ends in time",
		deadlineTooLate:   "a lease without renewal ends in time",
		oneLockForAllKeys: "a held lock is refused, and other keys are not",
		wrongKey:          "a lease from grant to release",
		takesAnyKey:       "requests that cannot be are invalid",
		refusesOwner:      "an owner enters again",
		freesTooSoon:      "an owner enters again",
		leaksGoroutine:    "goroutines end with their leases",
		leavesKey:         "a lease from grant to release",
		doesNotWake:       "a release lets a waiter in",
	} {
		t.Run(string(f), func(t *testing.T) { fails(t, f, everything, by) })
	}
	t.Run(string(takesAnyOwner), func(t *testing.T) {
		fails(t, takesAnyOwner, Capabilities{Fencing: true}, "requests that cannot be are invalid")
	})
	t.Run("token that is not declared", func(t *testing.T) {
		c := find(t, "no token where none is promised")
		synctest.Test(t, func(t *testing.T) {
			s := suite(none, Capabilities{Fencing: true})
			s.Capabilities.Fencing = false
			if err := c.on(t, s); err == nil {
				t.Error("not found")
			}
		})
	})
}

func fails(t *testing.T, f flaw, caps Capabilities, by string) {
	t.Helper()
	c := find(t, by)
	synctest.Test(t, func(t *testing.T) {
		if c.on(t, suite(f, caps)) == nil {
			t.Errorf("%q found nothing", by)
		}
	})
}

func find(t *testing.T, name string) check {
	t.Helper()
	for _, c := range checks {
		if c.name == name {
			return c
		}
	}
	t.Fatalf("no check is named %q", name)
	return check{}
}
