// Package etcd registers the scheme etcd with lock.Open: a lock on etcd. It is
// imported for that effect alone.
//
//	etcd://[user:password@]host[:port][,host…]
//
// The default port is 2379. Parameters:
//
//	ttl       the lease of the session in whole seconds, 10s
//	timeout   see etcdlock.Config.RequestTimeout
//	tls       whether to connect over TLS, false
//
// What belongs here: making a client of a URL. What does not: the lock (package
// etcdlock).
package etcd

import (
	"context"
	"crypto/tls"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"github.com/lockstep-sim/lockstep/impl/drivers/internal/handle"
	"github.com/lockstep-sim/lockstep/impl/etcdlock"
	"github.com/lockstep-sim/lockstep/impl/lock"
)

const (
	defaultPort = "2379"
	// probe is a key that is read to see whether the server answers. It need
	// not exist.
	probe = "lockstep"
)

func init() { lock.Register("etcd", open) }

func open(ctx context.Context, a lock.Address) (lock.Client, error) {
	cfg := etcdlock.Config{
		TTL:            a.Params.Duration("ttl", 0),
		RequestTimeout: a.Params.Duration("timeout", 0),
	}
	secure := a.Params.Bool("tls", false)
	hosts, err := a.HostPorts(defaultPort)
	if err == nil {
		err = a.Params.Err()
	}
	if err == nil {
		_, err = cfg.WithDefaults() // a wrong setting shows before a server that is down
	}
	if err != nil {
		return nil, err
	}
	client, err := connect(ctx, a, hosts, secure)
	if err != nil {
		return nil, err
	}
	l, err := etcdlock.New(client, cfg)
	if err != nil {
		_ = client.Close() // the error above says what matters
		return nil, err
	}
	return handle.New(l, client.Close, l.Close), nil
}

// connect makes a client and makes sure that the server answers.
func connect(ctx context.Context, a lock.Address, hosts []string, secure bool) (*clientv3.Client, error) {
	cfg := clientv3.Config{Endpoints: hosts, Logger: zap.NewNop()}
	if secure {
		cfg.TLS = &tls.Config{MinVersion: tls.VersionTLS12}
	}
	if a.User != nil {
		cfg.Username = a.User.Username()
		cfg.Password, _ = a.User.Password()
		cfg.DialTimeout = a.Params.Duration("dial", 0)
	}
	client, err := clientv3.New(cfg)
	if err != nil {
		return nil, err
	}
	if _, err := client.Get(ctx, probe, clientv3.WithCountOnly()); err != nil {
		_ = client.Close() // the error above says what matters
		return nil, err
	}
	return client, nil
}
