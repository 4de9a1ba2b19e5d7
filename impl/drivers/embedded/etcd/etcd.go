// Package etcd registers embedded:etcd with lock.Open: a real etcd inside the
// process, started by every Open anew and gone with its Close. It is imported
// for that effect alone. Parameters:
//
//	ttl       the lease of the session in whole seconds, 10s
//	timeout   see etcdlock.Config.RequestTimeout
//
// What belongs here: joining that server and its lock. What does not: either of
// them.
package etcd

import (
	"context"

	"github.com/lockstep-sim/lockstep/impl/drivers/internal/handle"
	"github.com/lockstep-sim/lockstep/impl/embedded/etcd"
	"github.com/lockstep-sim/lockstep/impl/etcdlock"
	"github.com/lockstep-sim/lockstep/impl/lock"
)

func init() { lock.Register("embedded:etcd", open) }

func open(ctx context.Context, a lock.Address) (lock.Client, error) {
	cfg := etcdlock.Config{
		TTL:            a.Params.Duration("ttl", 0),
		RequestTimeout: a.Params.Duration("timeout", 0),
	}
	if err := a.Params.Err(); err != nil {
		return nil, err
	}
	if _, err := cfg.WithDefaults(); err != nil {
		return nil, err // before a server is started for nothing
	}
	server, err := etcd.Start(ctx)
	if err != nil {
		return nil, err
	}
	client, err := server.NewClient()
	if err != nil {
		_ = server.Close()
		return nil, err
	}
	closers := []func() error{server.Close, client.Close}
	l, err := etcdlock.New(client, cfg)
	if err != nil {
		_ = handle.CloseAll(closers) // the error above says what matters
		return nil, err
	}
	return handle.New(l, append(closers, l.Close)...), nil
}
