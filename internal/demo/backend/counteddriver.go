package backend

import (
	"context"
	"database/sql/driver"
	"strings"
)

// renewal occurs in the statement that prolongs a lease and in no other one.
const renewal = "SET expires_ms = CASE WHEN"

// countedConnector makes connections to SQLite whose statements are counted.
type countedConnector struct {
	driver.Connector
	meter *meter
}

// Connect implements driver.Connector.
func (c countedConnector) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return countedConn{conn.(sqliteConn), c.meter}, nil
}

// sqliteConn is what database/sql looks for in a connection of that driver.
type sqliteConn interface {
	driver.Conn
	driver.ExecerContext
	driver.QueryerContext
	driver.ConnPrepareContext
	driver.ConnBeginTx
	driver.SessionResetter
	driver.Validator
}

type countedConn struct {
	sqliteConn
	meter *meter
}

// ExecContext implements driver.ExecerContext.
func (c countedConn) ExecContext(ctx context.Context, statement string, args []driver.NamedValue) (driver.Result, error) {
	c.meter.count(strings.Contains(statement, renewal))
	return c.sqliteConn.ExecContext(ctx, statement, args)
}

// QueryContext implements driver.QueryerContext.
func (c countedConn) QueryContext(ctx context.Context, statement string, args []driver.NamedValue) (driver.Rows, error) {
	c.meter.count(false)
	return c.sqliteConn.QueryContext(ctx, statement, args)
}
