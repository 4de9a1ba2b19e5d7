package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"net/url"
	"sync/atomic"
	"time"

	modernc "modernc.org/sqlite"

	"github.com/lockstep-sim/lockstep/impl/clock"
	"github.com/lockstep-sim/lockstep/impl/sqllock/dialect"
)

// nowFunction is the SQL function that tells the time of [Config.Clock].
const nowFunction = "lockstep_now_ms"

// Config says which database to open. The zero value is a fresh database in
// memory on the machine's own clock.
type Config struct {
	// Path is the file of the database; empty means memory only, gone with
	// Close.
	Path string
	// Clock is the clock that the database reads when a statement asks for the
	// time; nil leaves SQLite its own. A simulator or a test puts a clock here
	// that it can set.
	Clock clock.Clock
	// BusyTimeout is how long a statement waits for another connection's
	// write before it fails with SQLITE_BUSY. The default is 2 s; a negative
	// value means not at all. SQLite waits in real time, whatever Clock says.
	BusyTimeout time.Duration
}

// DB is an open database together with the dialect that fits it.
type DB struct {
	*sql.DB
	Dialect dialect.Dialect

	keep *sql.Conn
}

// Open opens the database. A database in memory is shared by all connections
// of the returned pool, and by nobody else.
func Open(ctx context.Context, cfg Config) (*DB, error) {
	connector, err := NewConnector(cfg)
	if err != nil {
		return nil, err
	}
	db := &DB{DB: sql.OpenDB(connector), Dialect: DialectFor(cfg)}
	// The connection that is kept open keeps the database in memory alive:
	// SQLite drops it with its last connection.
	if db.keep, err = db.Conn(ctx); err != nil {
		_ = db.DB.Close()
		return nil, fmt.Errorf("embedded sqlite: open %q: %w", cfg.Path, err)
	}
	return db, nil
}

// Close closes every connection. A database in memory is gone afterwards.
func (db *DB) Close() error {
	_ = db.keep.Close() // gives the connection back to the pool, which closes it next
	return db.DB.Close()
}

// DialectFor is the dialect of a database that was opened with cfg: where a
// clock is given, its statements read that clock.
func DialectFor(cfg Config) dialect.Dialect {
	if cfg.Clock == nil {
		return dialect.SQLite()
	}
	return dialect.SQLite().WithNow(nowFunction + "()")
}

// NewConnector makes what database/sql opens connections with, for callers that
// wrap it with a driver of their own before they hand it to [sql.OpenDB]. At
// least one connection must stay open for as long as a database in memory shall
// live.
func NewConnector(cfg Config) (driver.Connector, error) {
	drv := new(modernc.Driver)
	if cfg.Clock != nil {
		now := func(*modernc.FunctionContext, []driver.Value) (driver.Value, error) {
			return cfg.Clock.Now().UnixMilli(), nil
		}
		if err := drv.RegisterScalarFunction(nowFunction, 0, now); err != nil {
			return nil, fmt.Errorf("embedded sqlite: register %s: %w", nowFunction, err)
		}
	}
	return connector{driver: drv, dsn: dsn(cfg)}, nil
}

type connector struct {
	driver *modernc.Driver
	dsn    string
}

// Connect implements [driver.Connector].
func (c connector) Connect(ctx context.Context) (driver.Conn, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return c.driver.Open(c.dsn)
}

// Driver implements [driver.Connector].
func (c connector) Driver() driver.Driver { return c.driver }

// databases numbers the databases in memory: the name is shared by all
// connections of the process, so each database needs its own.
var databases atomic.Int64

func dsn(cfg Config) string {
	q := url.Values{"_pragma": {fmt.Sprintf("busy_timeout(%d)", busyMillis(cfg.BusyTimeout))}}
	if cfg.Path == "" {
		q.Set("vfs", "memdb")
		return fmt.Sprintf("file:/lockstep-%d?%s", databases.Add(1), q.Encode())
	}
	q.Add("_pragma", "journal_mode(WAL)")
	q.Add("_pragma", "synchronous(FULL)")
	return (&url.URL{Scheme: "file", Opaque: url.PathEscape(cfg.Path), RawQuery: q.Encode()}).String()
}

func busyMillis(d time.Duration) int64 {
	if d == 0 {
		d = 2 * time.Second
	}
	return max(0, d.Milliseconds())
}
