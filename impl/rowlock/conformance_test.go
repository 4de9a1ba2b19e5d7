package rowlock_test

import (
	"context"
	"database/sql"
	"errors"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/lockstep-sim/lockstep/impl/internal/sqltest"
	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/locktest"
	"github.com/lockstep-sim/lockstep/impl/rowlock"
	"github.com/lockstep-sim/lockstep/impl/sqllock/dialect"
)

// conformanceTTL is waited out in real time.
const conformanceTTL = 500 * time.Millisecond

// kind is a lock of this package.
type kind struct {
	caps locktest.Capabilities
	make func(db *sql.DB, d dialect.Dialect) (schemaLocker, error)
}

type schemaLocker interface {
	lock.Locker
	CreateSchema(ctx context.Context) error
}

var conforming = map[string]kind{
	"mutex": {
		// It lasts as long as its connection.
		locktest.Capabilities{TTL: conformanceTTL, Unbounded: true},
		func(db *sql.DB, d dialect.Dialect) (schemaLocker, error) {
			return rowlock.NewMutex(db, rowlock.MutexConfig{Dialect: d, CheckEvery: conformanceTTL / 5, Slice: conformanceTTL / 5})
		},
	},
	"record": {
		locktest.Capabilities{TTL: conformanceTTL, Fencing: true, Reentrant: true},
		func(db *sql.DB, d dialect.Dialect) (schemaLocker, error) {
			return rowlock.NewRecord(db, rowlock.RecordConfig{Dialect: d, TTL: conformanceTTL})
		},
	},
}

func TestConformance(t *testing.T) {
	for name, open := range map[string]func(testing.TB) sqltest.Backend{"postgres": sqltest.Postgres, "mariadb": sqltest.MariaDB} {
		t.Run(name, func(t *testing.T) {
			b := open(t)
			for name, k := range conforming {
				t.Run(name, func(t *testing.T) {
					locktest.Run(t, locktest.Suite{
						Capabilities: k.caps,
						Start:        func(t *testing.T) locktest.Backend { return k.on(t, b) },
					})
				})
			}
		})
	}
}

func (k kind) on(t *testing.T, b sqltest.Backend) locktest.Backend {
	connect := func(t *testing.T) (*wires, schemaLocker) {
		w := &wires{}
		db := w.open(t, b)
		t.Cleanup(func() { _ = db.Close() })
		l, err := k.make(db, b.Dialect)
		if err != nil {
			t.Fatal(err)
		}
		return w, l
	}
	_, admin := connect(t)
	if err := admin.CreateSchema(t.Context()); err != nil {
		t.Fatal(err)
	}
	return locktest.Backend{Client: func(t *testing.T) (lock.Locker, func()) {
		w, l := connect(t)
		return l, w.cut
	}}
}

// wires are the connections of one client. They end as those of a process that
// is killed: the server sees it.
type wires struct {
	mu    sync.Mutex
	down  bool
	conns []net.Conn
}

var errDown = errors.New("the client has crashed")

func (w *wires) open(t *testing.T, b sqltest.Backend) *sql.DB {
	t.Helper()
	if b.Kind() == dialect.KindPostgres {
		cfg, err := pgx.ParseConfig(b.Server.DSN())
		if err != nil {
			t.Fatal(err)
		}
		cfg.DialFunc = w.dial
		return stdlib.OpenDB(*cfg)
	}
	cfg, err := mysql.ParseDSN(b.Server.DSN())
	if err != nil {
		t.Fatal(err)
	}
	cfg.DialFunc, cfg.Logger = w.dial, &mysql.NopLogger{}
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return sql.OpenDB(connector)
}

func (w *wires) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.down {
		return nil, errDown
	}
	c, err := new(net.Dialer).DialContext(ctx, network, addr)
	if err == nil {
		w.conns = append(w.conns, c)
	}
	return c, err
}

func (w *wires) cut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.down = true
	for _, c := range w.conns {
		_ = c.Close() // the driver may have closed it
	}
}
