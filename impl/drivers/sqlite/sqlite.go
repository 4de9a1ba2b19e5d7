// Package sqlite registers the scheme sqlite with lock.Open: a lock table in a
// file, for the processes of one machine. It is imported for that effect alone.
//
//	sqlite:///absolute/path.db
//	sqlite:path.db
//
// Parameters:
//
//	ttl       length of a lease, 30s
//	renew     whether leases are renewed, true
//	timeout   see sqllock.Config.RequestTimeout
//	table     name of the table
//	schema    whether the table is made where it is missing, true
//
// What belongs here: opening the file. What does not: the lock (package sqllock).
package sqlite

import (
	"context"
	"fmt"
	"net/url"

	"github.com/lockstep-sim/lockstep/impl/drivers/internal/sqlurl"
	"github.com/lockstep-sim/lockstep/impl/embedded/sqlite"
	"github.com/lockstep-sim/lockstep/impl/lock"
)

func init() { lock.Register("sqlite", open) }

func open(ctx context.Context, a lock.Address) (lock.Client, error) {
	path, err := pathOf(a)
	if err != nil {
		return nil, err
	}
	cfg := sqlite.Config{Path: path}
	settings := sqlurl.Parse(a.Params, sqlite.DialectFor(cfg))
	if err := a.Params.Err(); err != nil {
		return nil, err
	}
	db, err := sqlite.Open(ctx, cfg)
	if err != nil {
		return nil, err
	}
	h, _, err := sqlurl.Open(ctx, db.DB, settings)
	if err != nil {
		return nil, err
	}
	return h, nil
}

func pathOf(a lock.Address) (string, error) {
	if len(a.Hosts) > 0 {
		return "", fmt.Errorf("%w: SQLite has no host; a file is sqlite:///absolute/path.db or sqlite:path.db", lock.ErrInvalid)
	}
	path, err := url.PathUnescape(a.Name)
	if a.Path != "" {
		path, err = a.Path, nil
	}
	if err != nil || path == "" || path == "/" {
		return "", fmt.Errorf("%w: the URL names no file, as sqlite:///absolute/path.db does", lock.ErrInvalid)
	}
	return path, nil
}
