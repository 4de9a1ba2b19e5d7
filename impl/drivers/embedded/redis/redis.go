// Package redis registers embedded:redis with lock.Open: a Redis inside the
// process, made by every Open anew and gone with its Close. It is imported for
// that effect alone. The parameters are those of package drivers/redis for one
// server.
//
// What belongs here: joining that server and its lock. What does not: either of
// them.
package redis

import (
	"context"

	"github.com/lockstep-sim/lockstep/impl/drivers/internal/handle"
	"github.com/lockstep-sim/lockstep/impl/drivers/internal/redisurl"
	"github.com/lockstep-sim/lockstep/impl/embedded/redisd"
	"github.com/lockstep-sim/lockstep/impl/lock"
)

func init() { lock.Register("embedded:redis", open) }

func open(_ context.Context, a lock.Address) (lock.Client, error) {
	server := redisd.InMemory()
	rdb := server.Client()
	closers := []func() error{handle.NoError(server.Close), rdb.Close}
	l, err := redisurl.New(rdb, a.Params)
	if err != nil {
		_ = handle.CloseAll(closers) // the error above says what matters
		return nil, err
	}
	return handle.New(l, closers...), nil
}
