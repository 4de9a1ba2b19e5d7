package antipattern

import (
	"context"
	"database/sql"

	"github.com/lockstep-sim/lockstep/impl/internal/sqlengine"
	"github.com/lockstep-sim/lockstep/impl/sqllock"
	"github.com/lockstep-sim/lockstep/impl/sqllock/internal/table"
)

// ReleaseWithoutOwner releases by the name of the lock alone. A holder whose
// lease has ended frees the lock of its successor.
type ReleaseWithoutOwner struct{ *sqlengine.Engine }

// NewReleaseWithoutOwner makes one.
func NewReleaseWithoutOwner(db *sql.DB, cfg sqllock.Config) (*ReleaseWithoutOwner, error) {
	e, err := build(db, cfg, func(p table.Protocol) sqlengine.Protocol { return releaseWithoutOwner{p} })
	if err != nil {
		return nil, err
	}
	return &ReleaseWithoutOwner{e}, nil
}

type releaseWithoutOwner struct{ table.Protocol }

// Release implements sqlengine.Protocol.
func (p releaseWithoutOwner) Release(ctx context.Context, c sqlengine.Claim) (bool, error) {
	changed, err := p.Exec(table.Rewrite(p.Dialect, p.Table,
		"UPDATE {table} SET owner = '', expires_ms = {now} WHERE name = ? AND owner <> ''"), c.Key)(ctx)
	return changed > 0, err
}
