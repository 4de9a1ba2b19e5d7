// Package mysql registers the scheme mysql with lock.Open: a lock table on MySQL
// or MariaDB. It is imported for that effect alone.
//
//	mysql://[user:password@]host[:port]/database
//
// The default port is 3306. Parameters:
//
//	ttl       length of a lease, 30s
//	renew     whether leases are renewed, true
//	timeout   see sqllock.Config.RequestTimeout
//	table     name of the table
//	schema    whether the table is made where it is missing, true
//	tls       true, false, skip-verify or preferred, preferred
//
// What belongs here: making a connection of a URL. What does not: the lock
// (package sqllock).
package mysql

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"github.com/go-sql-driver/mysql"

	"github.com/lockstep-sim/lockstep/impl/drivers/internal/sqlurl"
	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/sqllock/dialect"
)

const defaultPort = "3306"

func init() { lock.Register("mysql", open) }

func open(ctx context.Context, a lock.Address) (lock.Client, error) {
	settings := sqlurl.Parse(a.Params, dialect.MySQL())
	cfg := mysql.NewConfig()
	cfg.TLSConfig = a.Params.String("tls", "preferred")
	addr, err := a.HostPort(defaultPort)
	if err == nil {
		err = a.Params.Err()
	}
	if err != nil {
		return nil, err
	}
	cfg.Net, cfg.Addr, cfg.DBName = "tcp", addr, strings.TrimPrefix(a.Path, "/")
	if a.User != nil {
		cfg.User = a.User.Username()
		cfg.Passwd, _ = a.User.Password()
	}
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", lock.ErrInvalid, err)
	}
	h, _, err := sqlurl.Open(ctx, sql.OpenDB(connector), settings)
	if err != nil {
		return nil, err
	}
	return h, nil
}
