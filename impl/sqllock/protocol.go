package sqllock

import (
	"context"
	"database/sql"

	"github.com/lockstep-sim/lockstep/impl/internal/sqlengine"
	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/sqllock/dialect"
)

// protocol sends the statements. It implements sqlengine.Protocol.
type protocol struct {
	db         *sql.DB
	dialect    dialect.Dialect
	statements statements
}

// Grant tells a grant from a refusal by the row that comes back, not by an
// error: an upsert whose condition fails is no error in any of the databases.
func (p protocol) Grant(ctx context.Context, c sqlengine.Claim) (lock.Token, bool, error) {
	if p.dialect.Kind() == dialect.KindMySQL {
		return p.grantMySQL(ctx, c)
	}
	rows, err := p.db.QueryContext(ctx, p.statements.acquire, c.Key, c.Owner, c.Millis(), c.Millis())
	if err != nil {
		return 0, false, err
	}
	defer rows.Close()
	var token lock.Token
	granted := false
	// The rows are read to their end, since the commit comes after the last
	// one and may yet fail.
	for rows.Next() {
		if err := rows.Scan(&token); err != nil {
			return 0, false, err
		}
		granted = true
	}
	return token, granted, rows.Err()
}

func (p protocol) grantMySQL(ctx context.Context, c sqlengine.Claim) (lock.Token, bool, error) {
	r, err := p.db.ExecContext(ctx, p.statements.acquire,
		c.Key, c.Owner, c.Millis(), c.Owner, c.Owner, c.Owner, c.Millis())
	if err != nil {
		return 0, false, err
	}
	token, err := r.LastInsertId()
	return lock.Token(token), token != 0, err
}

// Renew implements sqlengine.Protocol.
func (p protocol) Renew(ctx context.Context, c sqlengine.Claim) (bool, error) {
	return p.changed(ctx, p.statements.renew, c.Millis(), c.Millis(), c.Key, c.Owner)
}

// Release implements sqlengine.Protocol.
func (p protocol) Release(ctx context.Context, c sqlengine.Claim) (bool, error) {
	return p.changed(ctx, p.statements.release, c.Key, c.Owner)
}

// changed reports whether the statement found its row. With Notify the release
// is a query on PostgreSQL; its count of rows comes with the command tag all
// the same.
func (p protocol) changed(ctx context.Context, statement string, args ...any) (bool, error) {
	r, err := p.db.ExecContext(ctx, statement, args...)
	if err != nil {
		return false, err
	}
	n, err := r.RowsAffected()
	return n > 0, err
}
