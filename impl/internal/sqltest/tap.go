package sqltest

import (
	"context"
	"database/sql/driver"
	"errors"
	"strings"
	"sync"
)

// ErrCut is what a statement fails with whose connection a [Tap] has cut.
var ErrCut = errors.New("connection cut by the test")

// Tap sits between database/sql and a driver: it counts statements and can cut
// the connection in the middle of one.
type Tap struct {
	mu       sync.Mutex
	requests []string
	faults   []*fault
}

type fault struct {
	match string
	run   func(context.Context, func() error) error
}

// Requests returns the statements since the last call, as they were sent. A
// statement that the driver first prepares shows as one request more.
func (t *Tap) Requests() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	requests := t.requests
	t.requests = nil
	return requests
}

// LoseReply lets the database carry out the next statement that contains match,
// and then cuts the connection before the answer arrives.
func (t *Tap) LoseReply(match string) {
	t.On(match, func(_ context.Context, send func() error) error {
		_ = send() // the answer is what gets lost
		return ErrCut
	})
}

// LoseRequest cuts the connection before the next statement that contains match
// reaches the database.
func (t *Tap) LoseRequest(match string) {
	t.On(match, func(context.Context, func() error) error { return ErrCut })
}

// On hands the next statement that contains match to run, which may do things
// before and after it sends the statement. Whatever run returns is the outcome;
// [ErrCut] also closes the connection.
func (t *Tap) On(match string, run func(ctx context.Context, send func() error) error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.faults = append(t.faults, &fault{match, run})
}

func (t *Tap) take(statement string) *fault {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.requests = append(t.requests, strings.TrimSpace(statement))
	for i, f := range t.faults {
		if strings.Contains(statement, f.match) {
			t.faults = append(t.faults[:i:i], t.faults[i+1:]...)
			return f
		}
	}
	return nil
}

// Connector wraps the connector of a driver.
func (t *Tap) Connector(c driver.Connector) driver.Connector { return tappedConnector{c, t} }

type tappedConnector struct {
	driver.Connector
	tap *Tap
}

func (c tappedConnector) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &tappedConn{Conn: conn, tap: c.tap}, nil
}

// tappedConn forwards what database/sql looks for in the connections of the
// three drivers.
type tappedConn struct {
	driver.Conn
	tap *Tap
	cut bool
}

// through sends a statement, with the fault that awaits it. An answer that was
// to be lost is given to discard.
func (c *tappedConn) through(ctx context.Context, statement string, send func() error, discard func()) error {
	if c.cut {
		return driver.ErrBadConn
	}
	f := c.tap.take(statement)
	if f == nil {
		return send()
	}
	err := f.run(ctx, send)
	if errors.Is(err, ErrCut) {
		discard()
		c.cut = true
		_ = c.Conn.Close()
	}
	return err
}

// ExecContext implements driver.ExecerContext.
func (c *tappedConn) ExecContext(ctx context.Context, statement string, args []driver.NamedValue) (r driver.Result, err error) {
	err = c.through(ctx, statement, func() (err error) {
		r, err = c.Conn.(driver.ExecerContext).ExecContext(ctx, statement, args)
		return err
	}, func() {})
	return r, err
}

// QueryContext implements driver.QueryerContext.
func (c *tappedConn) QueryContext(ctx context.Context, statement string, args []driver.NamedValue) (r driver.Rows, err error) {
	err = c.through(ctx, statement, func() (err error) {
		r, err = c.Conn.(driver.QueryerContext).QueryContext(ctx, statement, args)
		return err
	}, func() {
		if r != nil {
			_ = r.Close() // the statement is carried out to its end
		}
	})
	return r, err
}

// PrepareContext implements driver.ConnPrepareContext.
func (c *tappedConn) PrepareContext(ctx context.Context, statement string) (s driver.Stmt, err error) {
	err = c.through(ctx, statement, func() (err error) {
		s, err = c.Conn.(driver.ConnPrepareContext).PrepareContext(ctx, statement)
		return err
	}, func() {})
	return s, err
}

// CheckNamedValue implements driver.NamedValueChecker.
func (c *tappedConn) CheckNamedValue(v *driver.NamedValue) error {
	if checker, ok := c.Conn.(driver.NamedValueChecker); ok {
		return checker.CheckNamedValue(v)
	}
	return driver.ErrSkip
}

// BeginTx implements driver.ConnBeginTx.
func (c *tappedConn) BeginTx(ctx context.Context, opts driver.TxOptions) (driver.Tx, error) {
	return c.Conn.(driver.ConnBeginTx).BeginTx(ctx, opts)
}

// ResetSession implements driver.SessionResetter.
func (c *tappedConn) ResetSession(ctx context.Context) error {
	if resetter, ok := c.Conn.(driver.SessionResetter); ok && !c.cut {
		return resetter.ResetSession(ctx)
	}
	return nil
}

// IsValid implements driver.Validator.
func (c *tappedConn) IsValid() bool {
	validator, ok := c.Conn.(driver.Validator)
	return !c.cut && (!ok || validator.IsValid())
}

// Close implements driver.Conn.
func (c *tappedConn) Close() error {
	if c.cut {
		return nil
	}
	return c.Conn.Close()
}
