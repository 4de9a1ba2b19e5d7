// Package zk registers the scheme zk with lock.Open: a lock on ZooKeeper. It is
// imported for that effect alone.
//
//	zk://[user:password@]host[:port][,host…][/base]
//
// The default port is 2181. The base is the path of all locks, /lockstep by
// default. Parameters:
//
//	ttl       the session timeout, 10s; the server raises it to its minimum
//	timeout   see zklock.Config.RequestTimeout
//
// What belongs here: making a session of a URL. What does not: the lock (package
// zklock).
package zk

import (
	"context"
	"strings"

	"github.com/lockstep-sim/lockstep/impl/drivers/internal/handle"
	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/zklock"
	"github.com/lockstep-sim/lockstep/impl/zklock/zkconn"
)

const defaultPort = "2181"

func init() { lock.Register("zk", open) }

func open(ctx context.Context, a lock.Address) (lock.Client, error) {
	dial := zkconn.Config{SessionTimeout: a.Params.Duration("ttl", 0)}
	cfg := zklock.Config{
		Base:           strings.TrimSuffix(a.Path, "/"),
		RequestTimeout: a.Params.Duration("timeout", 0),
	}
	servers, err := a.HostPorts(defaultPort)
	if err == nil {
		err = a.Params.Err()
	}
	if err != nil {
		return nil, err
	}
	dial.Servers = servers
	if a.User != nil {
		password, _ := a.User.Password()
		dial.Auth = a.User.Username() + ":" + password
	}
	client, err := zkconn.Dial(ctx, dial)
	if err != nil {
		return nil, err
	}
	m, err := zklock.New(client, cfg)
	if err != nil {
		client.Close()
		return nil, err
	}
	return handle.New(m, handle.NoError(client.Close), m.Close), nil
}
