package sqllock_test

import (
	"context"
	"database/sql"
	"path/filepath"
	"testing"
	"time"

	"github.com/lockstep-sim/lockstep/impl/embedded/sqlite"
	"github.com/lockstep-sim/lockstep/impl/internal/sqltest"
	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/locktest"
	"github.com/lockstep-sim/lockstep/impl/sqllock"
	"github.com/lockstep-sim/lockstep/impl/sqllock/dialect"
)

// conformanceTTL is waited out in real time.
const conformanceTTL = 500 * time.Millisecond

func TestConformance(t *testing.T) {
	locktest.Run(t, locktest.Suite{
		Capabilities: locktest.Capabilities{TTL: conformanceTTL, Fencing: true},
		Start: func(t *testing.T) locktest.Backend {
			file := sqlite.Config{Path: filepath.Join(t.TempDir(), "locks.db")}
			connect := func(t *testing.T) *sql.DB {
				db, err := sqlite.Open(context.WithoutCancel(t.Context()), file)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = db.Close() }) // a crash has closed it already
				return db.DB
			}
			return onDatabase(t, connect, sqlite.DialectFor(file))
		},
	})
}

func TestConformanceOnServers(t *testing.T) {
	for name, open := range map[string]func(testing.TB) sqltest.Backend{"postgres": sqltest.Postgres, "mariadb": sqltest.MariaDB} {
		t.Run(name, func(t *testing.T) {
			b := open(t)
			connect := func(t *testing.T) *sql.DB {
				db, _, err := sqltest.Dial(b.Name, b.Server.DSN())
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = db.Close() }) // a crash has closed it already
				return db
			}
			locktest.Run(t, locktest.Suite{
				Capabilities: locktest.Capabilities{TTL: conformanceTTL, Fencing: true},
				Start:        func(t *testing.T) locktest.Backend { return onDatabase(t, connect, b.Dialect) },
			})
		})
	}
}

func onDatabase(t *testing.T, connect func(*testing.T) *sql.DB, d dialect.Dialect) locktest.Backend {
	make := func(t *testing.T, db *sql.DB) *sqllock.Mutex {
		m, err := sqllock.New(db, sqllock.Config{Dialect: d, TTL: conformanceTTL})
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	admin := connect(t)
	if err := make(t, admin).CreateSchema(t.Context()); err != nil {
		t.Fatal(err)
	}
	return locktest.Backend{
		Client: func(t *testing.T) (lock.Locker, func()) {
			db := connect(t)
			return make(t, db), func() { _ = db.Close() }
		},
		Left: func(t *testing.T) (held []string) {
			rows, err := admin.QueryContext(t.Context(), "SELECT name FROM "+sqllock.DefaultTable+" WHERE owner <> ''")
			if err != nil {
				t.Fatal(err)
			}
			defer rows.Close()
			for rows.Next() {
				var name string
				if err := rows.Scan(&name); err != nil {
					t.Fatal(err)
				}
				held = append(held, name)
			}
			return held
		},
	}
}
