// Package consul registers the scheme consul with lock.Open: a lock on Consul. It
// is imported for that effect alone.
//
//	consul://[:token@]host[:port]
//
// The default port is 8500. Parameters:
//
//	ttl        of the session, 15s; from minttl to 24h
//	minttl     the session_ttl_min of the server, 10s
//	lockdelay  see consullock.Config.LockDelay; 0s means none
//	timeout    see consullock.Config.RequestTimeout
//	tls        whether to connect over TLS, false
//
// What belongs here: making a client of a URL. What does not: the lock (package
// consullock).
package consul

import (
	"context"

	"github.com/hashicorp/consul/api"

	"github.com/lockstep-sim/lockstep/impl/drivers/internal/consulurl"
	"github.com/lockstep-sim/lockstep/impl/drivers/internal/handle"
	"github.com/lockstep-sim/lockstep/impl/lock"
)

const defaultPort = "8500"

func init() { lock.Register("consul", open) }

func open(ctx context.Context, a lock.Address) (lock.Client, error) {
	cfg := consulurl.Config(a.Params)
	conn := &api.Config{Scheme: "http"}
	if a.Params.Bool("tls", false) {
		conn.Scheme = "https"
	}
	var err error
	if conn.Address, err = a.HostPort(defaultPort); err == nil {
		err = a.Params.Err()
	}
	if err != nil {
		return nil, err
	}
	if a.User != nil {
		conn.Token, _ = a.User.Password()
	}
	client, closeClient, err := consulurl.Client(conn)
	if err != nil {
		return nil, err
	}
	m, err := consulurl.New(ctx, client, cfg)
	if err != nil {
		closeClient()
		return nil, err
	}
	return handle.New(m, handle.NoError(closeClient), m.Close), nil
}
