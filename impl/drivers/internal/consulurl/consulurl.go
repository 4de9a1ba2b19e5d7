// Package consulurl makes locks on Consul of the parameters of a URL. What does
// not belong here: where the server is.
package consulurl

import (
	"context"
	"errors"

	"github.com/hashicorp/consul/api"

	"github.com/lockstep-sim/lockstep/impl/consullock"
	"github.com/lockstep-sim/lockstep/impl/lock"
)

// Config reads ttl, minttl, lockdelay and timeout.
func Config(p *lock.Params) consullock.Config {
	cfg := consullock.Config{
		TTL:            p.Duration("ttl", 0),
		MinTTL:         p.Duration("minttl", 0),
		RequestTimeout: p.Duration("timeout", 0),
	}
	if p.String("lockdelay", "") == "0s" {
		cfg.LockDelay = consullock.NoLockDelay
	} else {
		cfg.LockDelay = p.Duration("lockdelay", 0)
	}
	return cfg
}

// Client makes a client with connections of its own, which the returned function
// closes.
func Client(conn *api.Config) (client *api.Client, closeIdle func(), err error) {
	conn.Transport = api.DefaultConfig().Transport
	client, err = api.NewClient(conn)
	return client, conn.Transport.CloseIdleConnections, err
}

// New makes the lock and makes sure that the server answers and has a leader.
func New(ctx context.Context, client *api.Client, cfg consullock.Config) (*consullock.Mutex, error) {
	m, err := consullock.New(client, cfg)
	if err != nil {
		return nil, err
	}
	leader, err := client.Status().LeaderWithQueryOptions((&api.QueryOptions{}).WithContext(ctx))
	if err == nil && leader == "" {
		err = errNoLeader
	}
	if err != nil {
		_ = m.Close() // the error above says what matters
		return nil, err
	}
	return m, nil
}

var errNoLeader = errors.New("the Consul server has no leader at the moment")
