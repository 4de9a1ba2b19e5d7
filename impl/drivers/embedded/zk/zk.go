// Package zk registers embedded:zk with lock.Open: a ZooKeeper inside the
// process, made by every Open anew and gone with its Close. It is imported for
// that effect alone. Parameters:
//
//	ttl       the session timeout, 4s; from 100ms to 1h
//	timeout   see zklock.Config.RequestTimeout
//
// What belongs here: joining that server and its lock. What does not: either of
// them.
package zk

import (
	"context"
	"time"

	"github.com/lockstep-sim/lockstep/impl/drivers/internal/handle"
	"github.com/lockstep-sim/lockstep/impl/embedded/zk"
	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/zklock"
	"github.com/lockstep-sim/lockstep/impl/zklock/zkconn"
)

// nowhere is the address that the client believes to connect to. It must be one
// that needs no look-up.
const nowhere = "127.0.0.1:2181"

func init() { lock.Register("embedded:zk", open) }

func open(ctx context.Context, a lock.Address) (lock.Client, error) {
	ttl := a.Params.Duration("ttl", 4*time.Second)
	cfg := zklock.Config{RequestTimeout: a.Params.Duration("timeout", 0)}
	if err := a.Params.Err(); err != nil {
		return nil, err
	}
	server := zk.InMemory(zk.Options{
		Tick: 100 * time.Millisecond, MinTimeout: 100 * time.Millisecond, MaxTimeout: time.Hour,
	})
	client, err := zkconn.Dial(ctx, zkconn.Config{
		Servers: []string{nowhere}, Dialer: server.Dial, SessionTimeout: ttl,
	})
	if err != nil {
		_ = server.Close()
		return nil, err
	}
	closers := []func() error{server.Close, handle.NoError(client.Close)}
	m, err := zklock.New(client, cfg)
	if err != nil {
		_ = handle.CloseAll(closers) // the error above says what matters
		return nil, err
	}
	return handle.New(m, append(closers, m.Close)...), nil
}
