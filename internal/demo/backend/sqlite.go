package backend

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"time"

	"github.com/lockstep-sim/lockstep/impl/embedded/sqlite"
	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/sqllock"
)

func startSQLite(ctx context.Context, b *Backend, ttl time.Duration) error {
	connector, err := sqlite.NewConnector(sqlite.Config{})
	if err != nil {
		return err
	}
	if err := keepOpen(ctx, b, connector); err != nil {
		return err
	}
	counted := countedConnector{connector, &b.meter}
	b.connect = func(ctx context.Context) (lock.Locker, error) {
		// A pool for each worker: they share the database and nothing else.
		db := sql.OpenDB(counted)
		b.close.add(db.Close)
		l, err := sqllock.New(db, sqllock.Config{Dialect: sqlite.DialectFor(sqlite.Config{}), TTL: ttl})
		if err != nil {
			return nil, err
		}
		return l, l.CreateSchema(ctx)
	}
	return nil
}

// keepOpen holds one connection until Close: a database in memory ends with the
// last one.
func keepOpen(ctx context.Context, b *Backend, connector driver.Connector) error {
	db := sql.OpenDB(connector)
	b.close.add(db.Close)
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	b.close.add(conn.Close)
	return nil
}
