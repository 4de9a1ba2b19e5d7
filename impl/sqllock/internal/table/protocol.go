package table

import (
	"context"
	"database/sql"

	"github.com/lockstep-sim/lockstep/impl/internal/sqlengine"
	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/sqllock/dialect"
)

// Protocol sends the statements of leases. It implements sqlengine.Protocol.
type Protocol struct {
	DB         *sql.DB
	Dialect    dialect.Dialect
	Table      string
	Statements Statements
}

// Grant tells a grant from a refusal by the row that comes back, not by an
// error: an upsert whose condition fails is no error in any of the databases.
func (p Protocol) Grant(ctx context.Context, c sqlengine.Claim) (lock.Token, bool, error) {
	if p.Dialect.Kind() == dialect.KindMySQL {
		return p.grantMySQL(ctx, c)
	}
	rows, err := p.DB.QueryContext(ctx, p.Statements.Acquire, c.Key, c.Owner, c.Millis(), c.Millis())
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

func (p Protocol) grantMySQL(ctx context.Context, c sqlengine.Claim) (lock.Token, bool, error) {
	r, err := p.DB.ExecContext(ctx, p.Statements.Acquire,
		c.Key, c.Owner, c.Millis(), c.Owner, c.Owner, c.Millis())
	if err != nil {
		return 0, false, err
	}
	token, err := r.LastInsertId()
	return lock.Token(token), token != 0, err
}

// Renew implements sqlengine.Protocol.
func (p Protocol) Renew(ctx context.Context, c sqlengine.Claim) (bool, error) {
	return p.changed(ctx, p.Statements.Renew, c.Millis(), c.Millis(), c.Key, c.Owner)
}

// Release implements sqlengine.Protocol.
func (p Protocol) Release(ctx context.Context, c sqlengine.Claim) (bool, error) {
	return p.changed(ctx, p.Statements.Release, c.Key, c.Owner)
}

// changed reports whether the statement found its row. With Notify the release
// is a query on PostgreSQL; its count of rows comes with the command tag all
// the same.
func (p Protocol) changed(ctx context.Context, statement string, args ...any) (bool, error) {
	n, err := p.Exec(statement, args...)(ctx)
	return n > 0, err
}

// Exec makes a request of a statement. The request returns how many rows it
// changed.
func (p Protocol) Exec(statement string, args ...any) func(context.Context) (int64, error) {
	return func(ctx context.Context) (int64, error) {
		r, err := p.DB.ExecContext(ctx, statement, args...)
		if err != nil {
			return 0, err
		}
		return r.RowsAffected()
	}
}

// DeleteIdle makes the request that deletes rows idle for so many milliseconds
// whose tokens the floor has covered for as long.
func (p Protocol) DeleteIdle(ms int64) func(context.Context) (int64, error) {
	return p.Exec(p.Statements.DeleteIdle, ms, ms)
}

// RaiseFloor makes the request that puts the largest token of the idle rows
// into the floor.
func (p Protocol) RaiseFloor(ms int64) func(context.Context) (int64, error) {
	if p.Dialect.Kind() == dialect.KindMySQL {
		return p.Exec(p.Statements.RaiseFloor, ms, ms, ms)
	}
	return p.Exec(p.Statements.RaiseFloor, ms, ms)
}
