package rowlock

import (
	"context"
	"fmt"
	"strings"

	"github.com/lockstep-sim/lockstep/impl/internal/sqlengine"
	"github.com/lockstep-sim/lockstep/impl/sqllock/dialect"
)

// nameType is the type of columns that are compared byte by byte. On MySQL a
// text column would hold "a" and "A" to be the same.
var nameType = map[dialect.Kind]string{
	dialect.KindSQLite:   "TEXT",
	dialect.KindPostgres: "TEXT",
	dialect.KindMySQL:    "VARBINARY(255)",
}

// createSchema carries out data definitions, in which {name} is the type of a
// name.
func (d *DB) createSchema(ctx context.Context, names map[string]string, statements ...string) error {
	names["name"] = nameType[d.cfg.Dialect.Kind()]
	err := sqlengine.Create(ctx, func(ctx context.Context, statement string) error {
		_, err := d.db.ExecContext(ctx, d.cfg.Dialect.Rewrite(statement, names))
		return err
	}, statements...)
	if err != nil {
		return fmt.Errorf("rowlock: %w", err)
	}
	return nil
}

func inTable(table, statement string) string {
	return strings.ReplaceAll(statement, "{table}", table)
}
