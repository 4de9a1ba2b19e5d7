package runner

import (
	"database/sql"
	"fmt"
	"time"

	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/rowlock"
	"github.com/lockstep-sim/lockstep/impl/sqllock/dialect"
	"github.com/lockstep-sim/lockstep/sim/kernel"
	"github.com/lockstep-sim/lockstep/sim/store/rowstore"
	"github.com/lockstep-sim/lockstep/sim/store/sqlstore"
)

// rowlockKind is the lock that a transaction holds.
const rowlockKind = "rowlock"

// The tables of the row locks: those of impl/rowlock, and one for names that are
// claimed.
const (
	rowTable    = "lockstep_rows"
	stockTable  = "lockstep_stock"
	couponTable = "lockstep_coupons"
	claimTable  = "claims"
)

// dialects are those of the stores that lock rows.
var dialects = map[string]dialect.Dialect{"postgres": dialect.Postgres(), "mysql": dialect.MySQL()}

// rowBackend is a database whose transactions lock rows.
type rowBackend struct {
	x      *execution
	engine *rowstore.DB
	store  *sqlstore.Node
	pool   *sqlstore.Pool // nil where every client has connections of its own
	dbs    map[*client]*sql.DB
}

// newPostgresStore builds what the kind of lock needs of PostgreSQL: its row
// locks, or only what transactions see of each other.
func newPostgresStore(x *execution) (backend, error) {
	if x.params["kind"] == rowlockKind {
		return newRowStore(x)
	}
	return newPostgres(x)
}

func newRowStore(x *execution) (backend, error) {
	b := &rowBackend{x: x, dbs: map[*client]*sql.DB{}}
	b.engine = rowstore.New(rowstore.Config{
		Kind: dialects[x.store].Kind(), Idle: x.param("idle-timeout"),
		After: func(d time.Duration, do func()) (cancel func()) {
			e := x.k.After(d, do)
			return func() { x.k.Cancel(e) }
		},
	})
	views := b.views()
	b.store = sqlstore.New(x.k.NewProcess(x.nodes[0]), x.net, x.rec, b.engine, sqlstore.Config{
		Locks: x.lockKeys(), Owner: x.owners.client, LockTable: rowTable, Views: views, Rows: views,
	})
	if n := x.number("pool"); n > 0 {
		b.pool = sqlstore.NewPool(int(n))
	}
	if err := b.prepare(); err != nil {
		b.close()
		return nil, fmt.Errorf("preparing the tables: %w", err)
	}
	b.store.Begin()
	return b, nil
}

// locks reports whether clients of the run take the lock itself.
func (b *rowBackend) locks() bool {
	return b.x.uses("acquire") || b.x.uses("try") || b.x.uses("do")
}

// views show the tables that the run uses.
func (b *rowBackend) views() (out []string) {
	if !b.x.ownResources() && len(b.x.sc.Resources) > 0 {
		out = append(out, "SELECT item, quantity, NULL FROM "+stockTable)
	}
	if b.x.uses("take-coupons") {
		out = append(out, "SELECT code, taken_by, NULL FROM "+couponTable+" WHERE taken_by <> ''",
			"SELECT code, 'free', NULL FROM "+couponTable+" WHERE taken_by = ''")
	}
	if b.x.uses("claim") {
		out = append(out, "SELECT name, owner, NULL FROM "+claimTable)
	}
	if b.locks() {
		out = append(out, "SELECT name, 'a row', NULL FROM "+rowTable)
	}
	return out
}

// db is the client's handle of the database.
func (b *rowBackend) db(c *client) *sql.DB {
	if b.dbs[c] == nil {
		b.dbs[c] = b.open(c.proc, b.pool)
	}
	return b.dbs[c]
}

func (b *rowBackend) open(proc *kernel.Process, pool *sqlstore.Pool) *sql.DB {
	if pool == nil {
		return b.store.DB(proc)
	}
	return b.store.Pooled(proc, pool)
}

// rows are transactions of a client, each tried so often.
func (b *rowBackend) rows(c *client, tries int) (*rowlock.DB, error) {
	return rowlock.New(b.db(c), rowlock.Config{Dialect: dialects[b.x.store], Clock: c.clk, Tries: tries, Rand: unspread})
}

func (b *rowBackend) node(name string) node {
	if name == b.store.Name() {
		return b.store
	}
	return nil
}

func (b *rowBackend) locker(c *client, _ string) (lock.Locker, error) { return b.mutex(b.db(c), c) }

func (b *rowBackend) mutex(db *sql.DB, c *client) (*rowlock.Mutex, error) {
	cfg := rowlock.MutexConfig{Dialect: dialects[b.x.store], Table: rowTable}
	if c != nil {
		cfg.Clock = c.clk
		cfg.NewOwner = func() string { return b.x.owners.next(c.name) }
	}
	return rowlock.NewMutex(db, cfg)
}

func (b *rowBackend) close() {
	for _, db := range b.dbs {
		_ = db.Close() // its connections are in memory: nothing can fail
	}
	b.store.Close()
}
