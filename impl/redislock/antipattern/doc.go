// Package antipattern holds locks on Redis that are WRONG, each in one respect:
// a command too many, a check left out, a goroutine never stopped.
//
// They exist to be watched failing, by lessons, scenarios and tests. Nothing
// else may import them. Except for its one mistake each is package redislock
// itself: the same waiting, the same clean-up, the same local deadline.
//
// What belongs here: one type a file, whose doc names the mistake, what it
// leads to, and what to do instead. What does not: anything worth copying.
package antipattern

import (
	"github.com/lockstep-sim/lockstep/impl/redislock"
	"github.com/lockstep-sim/lockstep/impl/redislock/internal/engine"
	"github.com/lockstep-sim/lockstep/impl/redislock/internal/mutex"
)

// correct is everything that redislock.Mutex does. Each type takes it and
// replaces one method.
func correct(rdb redislock.Client, cfg redislock.Config) mutex.Protocol {
	return mutex.Protocol{Conn: engine.NewConn(rdb, cfg.Clock), Fencing: cfg.Fencing}
}

func newEngine(rdb redislock.Client, p engine.Protocol, cfg redislock.Config) (*engine.Engine, error) {
	return engine.New(rdb, p, engine.Config(cfg))
}
