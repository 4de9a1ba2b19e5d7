package locktest

import (
	"testing"
	"testing/synctest"

	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/lock/antipattern"
)

// local is a suite for locks in memory, which last until their release.
func local(client func(*testing.T) (lock.Locker, func())) Suite {
	return Suite{
		Capabilities: Capabilities{TTL: fakeTTL, Unbounded: true},
		In:           synctest.Test,
		Start:        func(*testing.T) Backend { return Backend{Client: client} },
	}
}

func TestALockWithinOneProcessPassesThere(t *testing.T) {
	one := antipattern.NewLocalMutex(nil)
	Run(t, local(func(*testing.T) (lock.Locker, func()) { return one, nil }))
}

// With two instances of a service there are two of it, and no lock any more.
func TestALockWithinOneProcessFailsBetweenTwo(t *testing.T) {
	for _, name := range []string{"a held lock is refused, and other keys are not", "one holder at a time under contention"} {
		c := find(t, name)
		synctest.Test(t, func(t *testing.T) {
			if c.on(t, local(func(*testing.T) (lock.Locker, func()) { return antipattern.NewLocalMutex(nil), nil })) == nil {
				t.Errorf("%q found nothing", name)
			}
		})
	}
}
