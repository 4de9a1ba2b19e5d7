// Package sqlurl makes locks on SQL databases of the parameters of a URL. What
// does not belong here: opening a database, which differs.
package sqlurl

import (
	"context"
	"database/sql"

	"github.com/lockstep-sim/lockstep/impl/drivers/internal/handle"
	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/sqllock"
	"github.com/lockstep-sim/lockstep/impl/sqllock/dialect"
)

// Settings are what the parameters of a URL say.
type Settings struct {
	Lock sqllock.Config
	// Schema means that the tables are made where they are missing.
	Schema bool
}

// Parse reads ttl, renew, timeout, table and schema. The caller reads what it
// has beyond that, and then asks for Err of the parameters.
func Parse(p *lock.Params, d dialect.Dialect) Settings {
	return Settings{
		Lock: sqllock.Config{
			Dialect:        d,
			TTL:            p.Duration("ttl", 0),
			NoRenew:        !p.Bool("renew", true),
			RequestTimeout: p.Duration("timeout", 0),
			Table:          p.String("table", ""),
		},
		Schema: p.Bool("schema", true),
	}
}

// Open makes the lock on an open database and makes sure that it answers. It
// closes the database when that fails, and with the result.
func Open(ctx context.Context, db *sql.DB, s Settings) (*handle.Handle, *sqllock.Mutex, error) {
	m, err := sqllock.New(db, s.Lock)
	if err == nil {
		err = db.PingContext(ctx)
	}
	if err == nil && s.Schema {
		err = m.CreateSchema(ctx)
	}
	if err != nil {
		_ = db.Close() // the error above says what matters
		return nil, nil, err
	}
	return handle.New(m, db.Close), m, nil
}
