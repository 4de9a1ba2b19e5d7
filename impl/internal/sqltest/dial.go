package sqltest

import (
	"database/sql"
	"fmt"

	"github.com/go-sql-driver/mysql"

	"github.com/lockstep-sim/lockstep/impl/sqllock/dialect"
)

// Dial opens the database that is the [Backend] of that name in another process,
// without a Tap.
func Dial(name, dsn string) (*sql.DB, dialect.Dialect, error) {
	switch name {
	case "postgres":
		db, err := sql.Open("pgx", dsn)
		return db, dialect.Postgres(), err
	case "mariadb":
		cfg, err := mysql.ParseDSN(dsn)
		if err != nil {
			return nil, dialect.Dialect{}, err
		}
		cfg.Logger = &mysql.NopLogger{} // which would report the faults that the tests make
		connector, err := mysql.NewConnector(cfg)
		return sql.OpenDB(connector), dialect.MySQL(), err
	}
	return nil, dialect.Dialect{}, fmt.Errorf("no database server is called %q", name)
}
