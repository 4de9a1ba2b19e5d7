// Package sqlite registers embedded:sqlite with lock.Open: a lock table in the
// memory of the process, made by every Open anew and gone with its Close. It is
// imported for that effect alone. The parameters are those of package
// drivers/sqlite.
//
// What belongs here: joining that database and its lock. What does not: either
// of them.
package sqlite

import (
	"context"

	"github.com/lockstep-sim/lockstep/impl/drivers/internal/sqlurl"
	"github.com/lockstep-sim/lockstep/impl/embedded/sqlite"
	"github.com/lockstep-sim/lockstep/impl/lock"
)

func init() { lock.Register("embedded:sqlite", open) }

func open(ctx context.Context, a lock.Address) (lock.Client, error) {
	var cfg sqlite.Config
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
