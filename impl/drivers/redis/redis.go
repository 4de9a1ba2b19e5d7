// Package redis registers the schemes redis, rediss and redlock with lock.Open.
// It is imported for that effect alone.
//
//	redis://[user:password@]host[:port][/db]          one server
//	rediss://…                                        the same over TLS
//	redlock://[user:password@]host[:port],host,…[/db] independent servers
//
// The default port is 6379, the default db 0. Parameters:
//
//	ttl       length of a lease, 30s
//	renew     whether leases are renewed, true
//	poll      see redislock.Config
//	timeout   see redislock.Config.RequestTimeout
//	fencing   whether leases have tokens, false; not with redlock
//	kind      mutex, fair or reentrant, mutex; not with redlock
//
// What belongs here: making a client of a URL. What does not: anything that a
// program that makes its own client would need.
package redis

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"github.com/lockstep-sim/lockstep/impl/drivers/internal/handle"
	"github.com/lockstep-sim/lockstep/impl/drivers/internal/redisurl"
	"github.com/lockstep-sim/lockstep/impl/lock"
)

const defaultPort = "6379"

func init() {
	lock.Register("redis", open)
	lock.Register("rediss", open)
	lock.Register("redlock", openRedlock)
}

func open(ctx context.Context, a lock.Address) (lock.Client, error) {
	addr, err := a.HostPort(defaultPort)
	if err != nil {
		return nil, err
	}
	rdb, err := client(a, addr)
	if err != nil {
		return nil, err
	}
	l, err := redisurl.New(rdb, a.Params)
	if err == nil {
		err = rdb.Ping(ctx).Err()
	}
	if err != nil {
		_ = rdb.Close() // the error above says what matters
		return nil, err
	}
	return handle.New(l, rdb.Close), nil
}

// client makes a client for one server. It sends nothing.
func client(a lock.Address, addr string) (*redis.Client, error) {
	o := &redis.Options{
		Addr: addr,
		// Locks bound their requests by context, and repeat none by
		// themselves.
		ContextTimeoutEnabled:    true,
		MaxRetries:               -1,
		DisableIdentity:          true,
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
	}
	if a.User != nil {
		o.Username = a.User.Username()
		o.Password, _ = a.User.Password()
	}
	if db := strings.Trim(a.Path, "/"); db != "" {
		n, err := strconv.Atoi(db)
		if err != nil || n < 0 {
			return nil, fmt.Errorf("%w: the path /%s is not the number of a database", lock.ErrInvalid, db)
		}
		o.DB = n
	}
	if a.Scheme == "rediss" {
		host, _, err := net.SplitHostPort(addr)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", lock.ErrInvalid, err)
		}
		o.TLSConfig = &tls.Config{MinVersion: tls.VersionTLS12, ServerName: host}
	}
	return redis.NewClient(o), nil
}
