package antipattern

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/lockstep-sim/lockstep/impl/internal/sqlengine"
	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/sqllock"
	"github.com/lockstep-sim/lockstep/impl/sqllock/dialect"
	"github.com/lockstep-sim/lockstep/impl/sqllock/internal/table"
)

// ExpiryFirst takes over an expired row on MySQL by assigning the expiry before
// the owner. MySQL assigns from left to right, so the condition on the owner
// sees the new expiry and never holds: the row goes on under the OLD owner,
// while two changed columns tell the caller that it was granted the lock.
type ExpiryFirst struct{ *sqlengine.Engine }

// NewExpiryFirst makes one. On a database that assigns all columns at once, as
// every other one does, the statement would be right; it is lock.ErrInvalid.
func NewExpiryFirst(db *sql.DB, cfg sqllock.Config) (*ExpiryFirst, error) {
	if kind := cfg.Dialect.Kind(); kind != dialect.KindMySQL {
		return nil, fmt.Errorf("antipattern: %w: the order of assignments does no harm on %s", lock.ErrInvalid, kind)
	}
	e, err := build(db, cfg, func(p table.Protocol) sqlengine.Protocol { return expiryFirst{p} })
	if err != nil {
		return nil, err
	}
	return &ExpiryFirst{e}, nil
}

type expiryFirst struct{ table.Protocol }

const acquireExpiryFirst = `
INSERT INTO {table} (name, owner, token, expires_ms)
VALUES (?, ?, 1, {now} + ?)
ON DUPLICATE KEY UPDATE
token = IF(expires_ms < {now}, token + 1, token),
expires_ms = IF(expires_ms < {now}, {now} + ?, expires_ms),
owner = IF(expires_ms < {now}, ?, owner)`

// Grant implements sqlengine.Protocol.
func (p expiryFirst) Grant(ctx context.Context, c sqlengine.Claim) (lock.Token, bool, error) {
	changed, err := p.Exec(table.Rewrite(p.Dialect, p.Table, acquireExpiryFirst),
		c.Key, c.Owner, c.Millis(), c.Millis(), c.Owner)(ctx)
	return 0, changed > 0, err
}
