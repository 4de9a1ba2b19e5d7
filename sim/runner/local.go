package runner

import (
	"github.com/lockstep-sim/lockstep/impl/lock"
	localanti "github.com/lockstep-sim/lockstep/impl/lock/antipattern"
)

// localMutex is the kind of lock that needs no store.
const localMutex = "local-mutex"

func newLocalMutex(c *client) lock.Locker { return localanti.NewLocalMutex(c.clk) }
