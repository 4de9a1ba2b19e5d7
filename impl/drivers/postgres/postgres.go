// Package postgres registers the scheme postgres with lock.Open: a lock table on
// PostgreSQL. It is imported for that effect alone.
//
//	postgres://[user:password@]host[:port][,host…]/database
//
// The default port is 5432. Parameters:
//
//	ttl       length of a lease, 30s
//	renew     whether leases are renewed, true
//	timeout   see sqllock.Config.RequestTimeout
//	table     name of the table
//	schema    whether the table is made where it is missing, true
//	notify    whether releases are announced and listened for, true
//	sslmode   as libpq has it, prefer
//
// What belongs here: making a connection of a URL. What does not: the lock
// (package sqllock).
package postgres

import (
	"context"
	"net/url"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/lockstep-sim/lockstep/impl/drivers/internal/handle"
	"github.com/lockstep-sim/lockstep/impl/drivers/internal/sqlurl"
	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/sqllock/dialect"
	"github.com/lockstep-sim/lockstep/impl/sqllock/pgnotify"
)

const defaultPort = "5432"

func init() { lock.Register("postgres", open) }

func open(ctx context.Context, a lock.Address) (lock.Client, error) {
	settings := sqlurl.Parse(a.Params, dialect.Postgres())
	settings.Lock.Notify = a.Params.Bool("notify", true)
	sslmode := a.Params.String("sslmode", "prefer")
	hosts, err := a.HostPorts(defaultPort)
	if err == nil {
		err = a.Params.Err()
	}
	if err != nil {
		return nil, err
	}
	cfg, err := pgx.ParseConfig(dsn(a, hosts, sslmode))
	if err != nil {
		return nil, err // pgx leaves the password out
	}
	db := stdlib.OpenDB(*cfg)
	h, m, err := sqlurl.Open(ctx, db, settings)
	if err != nil {
		return nil, err
	}
	if !settings.Lock.Notify {
		return h, nil
	}
	listener := pgnotify.Listen(db, m, pgnotify.Config{Table: settings.Lock.Table})
	return handle.New(h, h.Close, handle.NoError(listener.Close)), nil
}

func dsn(a lock.Address, hosts []string, sslmode string) string {
	u := url.URL{
		Scheme: "postgres", User: a.User, Host: strings.Join(hosts, ","), Path: a.Path,
		RawQuery: url.Values{"sslmode": {sslmode}}.Encode(),
	}
	return u.String()
}
