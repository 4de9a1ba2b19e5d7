package sqlstore

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/lockstep-sim/lockstep/impl/clock"
	"github.com/lockstep-sim/lockstep/sim/kernel"
	"github.com/lockstep-sim/lockstep/sim/network"
	"github.com/lockstep-sim/lockstep/sim/trace"
)

var (
	// errBroken is what a client makes of a connection that has broken.
	errBroken = errors.New("the connection to the database is broken")
	// errOver is for what unwinding tasks still try to send.
	errOver        = errors.New("the run is over")
	errNotPrepared = errors.New("prepared statements are not supported")
	// errWaits: before the run there is nobody to wait for.
	errWaits = errors.New("the statement waits, and nothing runs that could end that")
)

// idle is how many connections a client keeps for later use: all of them.
const idle = 1 << 10

// DB makes the handle of one process. It must be closed after the run.
func (n *Node) DB(proc *kernel.Process) *sql.DB {
	db := sql.OpenDB(connector{n, proc})
	db.SetMaxIdleConns(idle)
	return db
}

// connector implements driver.Connector. Connecting is no part of any lock and
// takes no time.
type connector struct {
	node *Node
	proc *kernel.Process
}

func (c connector) Driver() driver.Driver { return nil }

func (c connector) Connect(context.Context) (driver.Conn, error) {
	if c.node.net.Kernel().Closing() {
		return nil, errOver
	}
	session, err := c.node.engine.Open()
	if err != nil {
		return nil, err
	}
	cn := &conn{
		node: c.node, session: session, name: c.node.sessionName(c.proc.Name()),
		clk: c.proc.Clock(), link: c.node.net.Dial(c.proc, c.node.Name()),
	}
	c.node.open = append(c.node.open, cn)
	cn.link.OnClose(func() { c.node.hangUp(cn) })
	cn.link.OnBreak(cn.lose)
	return cn, nil
}

// sessionName is that of a client's next connection: A, A/2, A/3.
func (n *Node) sessionName(client string) string {
	n.conns[client]++
	if count := n.conns[client]; count > 1 {
		return fmt.Sprintf("%s/%d", client, count)
	}
	return client
}

// conn is the client's end of a connection. One statement is under way at a
// time: database/sql sees to that.
type conn struct {
	node    *Node
	name    string // of its session
	link    *network.Link
	session Session
	clk     clock.Clock
	done    clock.Event // of the statement under way
	broken  bool
	told    trace.SessionChange // as last recorded
}

var (
	_ driver.ExecerContext  = (*conn)(nil)
	_ driver.QueryerContext = (*conn)(nil)
	_ driver.ConnBeginTx    = (*conn)(nil)
	_ driver.Validator      = (*conn)(nil)
)

// lose is what the client notices when the connection breaks.
func (c *conn) lose() {
	c.broken = true
	if c.done != nil {
		c.done.Set()
	}
}

// IsValid implements driver.Validator.
func (c *conn) IsValid() bool { return !c.broken }

func (c *conn) Close() error {
	if !c.node.net.Kernel().Closing() {
		c.link.Close()
	}
	return nil
}

func (c *conn) Prepare(string) (driver.Stmt, error) { return nil, errNotPrepared }

func (c *conn) ExecContext(ctx context.Context, statement string, args []driver.NamedValue) (driver.Result, error) {
	a, err := c.do(ctx, Statement{Text: statement, Args: values(args)})
	return driver.RowsAffected(a.Affected), err
}

func (c *conn) QueryContext(ctx context.Context, statement string, args []driver.NamedValue) (driver.Rows, error) {
	a, err := c.do(ctx, Statement{Text: statement, Args: values(args), Query: true})
	if err != nil {
		return nil, err
	}
	return &rows{a, 0}, nil
}

func (c *conn) Begin() (driver.Tx, error) { return c.BeginTx(context.Background(), driver.TxOptions{}) }

func (c *conn) BeginTx(ctx context.Context, _ driver.TxOptions) (driver.Tx, error) {
	_, err := c.do(ctx, Statement{Text: "BEGIN"})
	return tx{c}, err
}

// do sends a statement and waits for the answer. A client that does not wait
// for it any longer gives up the connection, as the real drivers do: the answer
// may still come.
func (c *conn) do(ctx context.Context, s Statement) (Answer, error) {
	switch {
	case c.node.net.Kernel().Closing():
		return Answer{}, errOver
	case c.broken:
		return Answer{}, driver.ErrBadConn // nothing was sent
	case ctx.Err() != nil:
		return Answer{}, ctx.Err()
	}
	if isSetting(s.Text) || !c.node.net.Kernel().InTask() {
		return c.setup(s)
	}
	r := &network.Request{Command: command(s.Text), Text: describe(s)}
	var answer *Answer
	done := c.clk.NewEvent()
	c.done = done
	c.link.Send(r, func() {
		c.node.execute(c, r, s, writer(ctx), func(a Answer) { answer = &a; done.Set() })
	})
	if err := done.Wait(ctx, clock.NoLimit); err != nil {
		c.broken = true
		return Answer{}, err
	}
	if answer == nil {
		return Answer{}, errBroken
	}
	return *answer, answer.Err
}

// isSetting reports whether a statement only says how the connection is to
// behave.
func isSetting(statement string) bool {
	return slices.Contains([]string{"PRAGMA", "SET"}, command(statement))
}

// setup carries out what is no part of the timeline: settings, and what happens
// before the run. It takes no time.
func (c *conn) setup(s Statement) (answer Answer, err error) {
	err = errWaits
	c.session.Do(s, func(a Answer) { answer, err = a, a.Err })
	return answer, err
}

func values(args []driver.NamedValue) []driver.Value {
	out := make([]driver.Value, len(args))
	for i, a := range args {
		out[i] = a.Value
	}
	return out
}

// tx implements driver.Tx.
type tx struct{ c *conn }

func (t tx) Commit() error { return t.end("COMMIT") }

func (t tx) Rollback() error { return t.end("ROLLBACK") }

func (t tx) end(how string) error {
	_, err := t.c.do(context.Background(), Statement{Text: how})
	return err
}

// rows are the rows of an answer, all of which have arrived.
type rows struct {
	answer Answer
	next   int
}

func (r *rows) Columns() []string { return r.answer.Columns }

func (*rows) Close() error { return nil }

func (r *rows) Next(dest []driver.Value) error {
	if r.next == len(r.answer.Rows) {
		return io.EOF
	}
	copy(dest, r.answer.Rows[r.next])
	r.next++
	return nil
}

// writerKey is that of a write in a context.
type writerKey struct{}

// Writing makes a context for statements that change a resource of the run: the
// next change of the table is recorded as w, with what has become of it. The
// database does not get to know it. w may be completed until then.
func Writing(ctx context.Context, table string, w *trace.Write) context.Context {
	return context.WithValue(ctx, writerKey{}, &writing{table, w})
}

type writing struct {
	table string
	write *trace.Write
}

func writer(ctx context.Context) *writing {
	w, _ := ctx.Value(writerKey{}).(*writing)
	return w
}
