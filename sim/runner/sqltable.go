package runner

import (
	"context"
	"database/sql"
	"maps"
	"slices"
	"time"

	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/sqllock"
	sqlanti "github.com/lockstep-sim/lockstep/impl/sqllock/antipattern"
	"github.com/lockstep-sim/lockstep/impl/sqllock/dialect"
	"github.com/lockstep-sim/lockstep/sim/kernel"
	"github.com/lockstep-sim/lockstep/sim/store/sqlstore"
)

// sqliteKinds builds the locks in a table by the name that scenarios use.
var sqliteKinds = map[string]func(*sql.DB, sqllock.Config) (lock.Locker, error){
	"sqlite":                       onSQL(sqllock.New),
	"sqlite/application-clock":     onSQL(sqlanti.NewApplicationClock),
	"sqlite/insert-only":           onSQL(sqlanti.NewInsertOnly),
	"sqlite/release-without-owner": onSQL(sqlanti.NewReleaseWithoutOwner),
	"sqlite/two-step-clean-up":     newTwoStepCleanUp,
}

func sqliteKindNames() []string {
	return slices.Concat(slices.Sorted(maps.Keys(sqliteKinds)), recordKindNames())
}

// onSQL gives a constructor the type of the table.
func onSQL[L lock.Locker](f func(*sql.DB, sqllock.Config) (L, error)) func(*sql.DB, sqllock.Config) (lock.Locker, error) {
	return func(db *sql.DB, cfg sqllock.Config) (lock.Locker, error) { return f(db, cfg) }
}

// cleaner is a lock that can clean up behind others.
type cleaner interface {
	CleanUp(ctx context.Context, idle time.Duration) (deleted int64, err error)
}

// twoStepCleanUp is the right lock with a clean-up that is wrong.
type twoStepCleanUp struct {
	lock.Locker
	cleaner
}

func newTwoStepCleanUp(db *sql.DB, cfg sqllock.Config) (lock.Locker, error) {
	m, err := sqllock.New(db, cfg)
	if err != nil {
		return nil, err
	}
	job, err := sqlanti.NewTwoStepCleanUp(db, cfg)
	return twoStepCleanUp{m, job}, err
}

// lockTable is the table of the locks, and its view shows who has them.
const (
	lockTable = "locks"
	lockView  = "SELECT name, CASE owner WHEN '' THEN 'free' ELSE owner END, " +
		"CASE owner WHEN '' THEN NULL ELSE expires_ms END FROM " + lockTable
)

// modelKinds are the locks in a table of the models of other databases, by store.
var modelKinds = map[string]map[string]func(*sql.DB, sqllock.Config) (lock.Locker, error){
	"postgres": {"postgres": onSQL(sqllock.New)},
	"mysql":    {"mysql/expiry-first": onSQL(sqlanti.NewExpiryFirst)},
}

func modelKindNames(store string) []string { return slices.Sorted(maps.Keys(modelKinds[store])) }

// database is the engine of a run: the real SQLite, or a model that keeps its rows
// in one.
type database interface {
	sqlstore.Engine
	Dialect() dialect.Dialect
	Run(statements ...string) error // in the words of SQLite
}

// tableBackend is one database with the locks in a table.
type tableBackend struct {
	x      *execution
	engine database
	store  *sqlstore.Node
	dbs    map[*client]*sql.DB
}

func newSQLite(x *execution) (backend, error) {
	proc := x.k.NewProcess(x.nodes[0])
	engine, err := sqlstore.NewSQLite(proc.Clock())
	if err != nil {
		return nil, err
	}
	return newTable(x, proc, engine)
}

func newPostgres(x *execution) (backend, error) {
	proc := x.k.NewProcess(x.nodes[0])
	engine, err := sqlstore.NewSnapshots(proc.Clock(), sqlstore.Isolation(x.params["isolation"]))
	if err != nil {
		return nil, err
	}
	return newTable(x, proc, engine)
}

// newMySQLStore builds what the kind of lock needs of MySQL: its row locks, or only
// the order of its assignments.
func newMySQLStore(x *execution) (backend, error) {
	if _, table := modelKinds["mysql"][x.params["kind"]]; !table {
		return newRowStore(x)
	}
	proc := x.k.NewProcess(x.nodes[0])
	engine, err := sqlstore.NewLeftToRight(proc.Clock())
	if err != nil {
		return nil, err
	}
	return newTable(x, proc, engine)
}

func newTable(x *execution, proc *kernel.Process, engine database) (backend, error) {
	b := &tableBackend{x: x, engine: engine, dbs: map[*client]*sql.DB{}}
	b.store = sqlstore.New(proc, x.net, x.rec, engine, sqlstore.Config{
		Locks: x.lockKeys(), Owner: x.owners.client, Views: append(x.sqlViews(), b.lockView()), Rows: x.sqlViews(),
	})
	if err := b.prepare(); err != nil {
		b.close()
		return nil, err
	}
	b.store.Begin()
	return b, nil
}

// prepare makes the tables, and the rows that are there beforehand.
func (b *tableBackend) prepare() error {
	schema, err := sqllock.Schema(b.config(nil))
	if err == nil {
		err = b.engine.Run(append(schema, b.x.sqlSchema()...)...)
	}
	if err == nil && b.usesRecords() {
		err = b.prepareRecords()
	}
	if err == nil && (b.x.uses("like") || b.x.uses("lock-and-like")) {
		err = b.prepareLikes()
	}
	return err
}

// usesRecords reports whether the locks of the run are lock records.
func (b *tableBackend) usesRecords() bool {
	return slices.Contains(recordKindNames(), b.x.params["kind"])
}

func (b *tableBackend) lockView() string {
	if b.usesRecords() {
		return recordView
	}
	return lockView
}

// unspread stands for the random spread of pauses: none, so that the times of a
// lesson are round.
func unspread() float64 { return 0 }

// config is that of the locks of a client, or of none for what is prepared.
func (b *tableBackend) config(c *client) sqllock.Config {
	cfg := sqllock.Config{
		Dialect: dialect.SQLite(), Table: lockTable,
		TTL: b.x.param("ttl"), NoRenew: b.x.params["renew"] == "off",
		Rand: unspread,
	}
	if c == nil {
		cfg.Clock = b.x.k.NewProcess("setup").Clock()
	} else {
		cfg.Dialect, cfg.Clock = b.engine.Dialect(), c.clk
		cfg.NewOwner = func() string { return b.x.owners.next(c.name) }
	}
	return cfg
}

// db is the client's handle of the database.
func (b *tableBackend) db(c *client) *sql.DB {
	if b.dbs[c] == nil {
		b.dbs[c] = b.store.DB(c.proc)
	}
	return b.dbs[c]
}

func (b *tableBackend) node(name string) node {
	if name == b.store.Name() {
		return b.store
	}
	return nil
}

func (b *tableBackend) locker(c *client, kind string) (lock.Locker, error) {
	if b.usesRecords() {
		return b.newRecord(c, kind)
	}
	if build, ok := modelKinds[b.x.store][kind]; ok {
		return build(b.db(c), b.config(c))
	}
	return sqliteKinds[kind](b.db(c), b.config(c))
}

func (b *tableBackend) close() {
	for _, db := range b.dbs {
		_ = db.Close() // its connections are in memory: nothing can fail
	}
	b.store.Close()
}
