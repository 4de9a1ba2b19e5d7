package sqlfencing

import (
	"context"
	"fmt"

	"github.com/lockstep-sim/lockstep/impl/internal/sqlengine"
	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/sqllock/dialect"
)

// Resource is a table of named numbers behind a [Fence]: what fencing.Resource
// is in memory.
type Resource struct {
	conn  Conn
	fence Fence
}

// NewResource makes a resource in the given table, which is the caller's to
// name and must not come from outside.
func NewResource(conn Conn, table string) *Resource {
	return &Resource{conn, Fence{Table: table, Key: "name", Token: "token"}}
}

// CreateSchema creates the table where it is missing.
func (r *Resource) CreateSchema(ctx context.Context) error {
	return createTable(ctx, r.conn, "CREATE TABLE IF NOT EXISTS "+r.fence.Table+" ("+
		"name "+nameType(r.conn)+" NOT NULL PRIMARY KEY, value BIGINT NOT NULL, token BIGINT NOT NULL)")
}

// Create makes the number of that name, unless it exists.
func (r *Resource) Create(ctx context.Context, name string, value int64) error {
	_, err := InsertOnce(ctx, r.conn, "INSERT INTO "+r.fence.Table+" (name, value, token) VALUES (?, ?, 0)", name, value)
	return err
}

// Read returns the number, or [ErrNoRow]. Reading needs no token: whoever acts
// on what it has read must write, and that is where it is found out.
func (r *Resource) Read(ctx context.Context, name string) (value int64, err error) {
	err = r.conn.One(ctx, "SELECT value FROM "+r.fence.Table+" WHERE name = ?", []any{name}, &value)
	if err != nil {
		err = fmt.Errorf("sqlfencing: read %q: %w", name, err)
	}
	return value, err
}

// Seen returns the largest token that was accepted for name, 0 before the first.
func (r *Resource) Seen(ctx context.Context, name string) (lock.Token, error) {
	return r.fence.Seen(ctx, r.conn, name)
}

// Write sets the number. Its errors are those of [Fence.Update].
func (r *Resource) Write(ctx context.Context, name string, value int64, token lock.Token) error {
	return r.fence.Update(ctx, r.conn, name, token, "value = ?", value)
}

// Add adds to the number. Its errors are those of [Fence.Update].
func (r *Resource) Add(ctx context.Context, name string, delta int64, token lock.Token) error {
	return r.fence.Update(ctx, r.conn, name, token, "value = value + ?", delta)
}

// nameType is a column type that is compared byte by byte.
func nameType(c Conn) string {
	if c.Dialect().Kind() == dialect.KindMySQL {
		return "VARBINARY(255)"
	}
	return "TEXT"
}

func createTable(ctx context.Context, c Conn, statement string) error {
	err := sqlengine.Create(ctx, func(ctx context.Context, statement string) error {
		_, err := c.Exec(ctx, statement)
		return err
	}, statement)
	if err != nil {
		return fmt.Errorf("sqlfencing: %w", err)
	}
	return nil
}
