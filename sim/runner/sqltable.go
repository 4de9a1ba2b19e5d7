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

// sqliteBackend is one database.
type sqliteBackend struct {
	x      *execution
	engine *sqlstore.SQLite
	store  *sqlstore.Node
	dbs    map[*client]*sql.DB
}

func newSQLite(x *execution) (backend, error) {
	proc := x.k.NewProcess(x.nodes[0])
	engine, err := sqlstore.NewSQLite(proc.Clock())
	if err != nil {
		return nil, err
	}
	b := &sqliteBackend{x: x, engine: engine, dbs: map[*client]*sql.DB{}}
	b.store = sqlstore.New(proc, x.net, x.rec, engine, sqlstore.Config{
		Locks: x.lockKeys(), Owner: x.owners.client, Views: append(x.sqlViews(), b.lockView()),
	})
	schema, err := sqllock.Schema(b.config(nil))
	if err == nil {
		err = engine.Run(append(schema, x.sqlSchema()...)...)
	}
	if err == nil && b.usesRecords() {
		err = b.prepareRecords()
	}
	if err == nil && x.uses("like") {
		err = b.prepareLikes()
	}
	if err != nil {
		b.close()
		return nil, err
	}
	b.store.Begin()
	return b, nil
}

// usesRecords reports whether the locks of the run are lock records.
func (b *sqliteBackend) usesRecords() bool {
	return slices.Contains(recordKindNames(), b.x.params["kind"])
}

func (b *sqliteBackend) lockView() string {
	if b.usesRecords() {
		return recordView
	}
	return lockView
}

// config is that of the locks of a client, or of none for the schema.
func (b *sqliteBackend) config(c *client) sqllock.Config {
	cfg := sqllock.Config{
		Dialect: b.engine.Dialect(), Table: lockTable,
		TTL: b.x.param("ttl"), NoRenew: b.x.params["renew"] == "off",
		Rand: b.x.k.Rand().Float64,
	}
	if c == nil {
		cfg.Clock = b.x.k.NewProcess("setup").Clock()
	} else {
		cfg.Clock = c.clk
		cfg.NewOwner = func() string { return b.x.owners.next(c.name) }
	}
	return cfg
}

// db is the client's handle of the database.
func (b *sqliteBackend) db(c *client) *sql.DB {
	if b.dbs[c] == nil {
		b.dbs[c] = b.store.DB(c.proc)
	}
	return b.dbs[c]
}

func (b *sqliteBackend) node(name string) node {
	if name == b.store.Name() {
		return b.store
	}
	return nil
}

func (b *sqliteBackend) locker(c *client, kind string) (lock.Locker, error) {
	if b.usesRecords() {
		return b.newRecord(c, kind)
	}
	return sqliteKinds[kind](b.db(c), b.config(c))
}

func (b *sqliteBackend) close() {
	for _, db := range b.dbs {
		_ = db.Close() // its connections are in memory: nothing can fail
	}
	b.store.Close()
}
