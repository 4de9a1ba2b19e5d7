package dialect_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/lockstep-sim/lockstep/impl/sqllock/dialect"
)

func TestRewrite(t *testing.T) {
	const statement = "\nUPDATE {table} SET a = ?, b = {now} WHERE c = ? \n"
	names := map[string]string{"table": "locks"}
	for _, c := range []struct {
		d    dialect.Dialect
		want string
	}{
		{dialect.SQLite().WithNow("now()"), "UPDATE locks SET a = ?, b = now() WHERE c = ?"},
		{dialect.MySQL().WithNow("now()"), "UPDATE locks SET a = ?, b = now() WHERE c = ?"},
		{dialect.Postgres().WithNow("now()"), "UPDATE locks SET a = $1, b = now() WHERE c = $2"},
	} {
		if got := c.d.Rewrite(statement, names); got != c.want {
			t.Errorf("%s: %q, want %q", c.d.Kind(), got, c.want)
		}
	}
}

// sqliteError is shaped like the errors of modernc.org/sqlite.
type sqliteError int

func (e sqliteError) Error() string { return fmt.Sprint("sqlite error ", int(e)) }
func (e sqliteError) Code() int     { return int(e) }

func TestClass(t *testing.T) {
	postgres := func(code string) error { return &pgconn.PgError{Code: code} }
	number := func(n uint16) error { return &mysql.MySQLError{Number: n} }
	for name, c := range map[string]struct {
		d    dialect.Dialect
		err  error
		want dialect.Class
	}{
		"postgres NOWAIT or lock_timeout":  {dialect.Postgres(), postgres("55P03"), dialect.Busy},
		"postgres serialization failure":   {dialect.Postgres(), postgres("40001"), dialect.Retry},
		"postgres deadlock":                {dialect.Postgres(), postgres("40P01"), dialect.Retry},
		"postgres unique violation":        {dialect.Postgres(), postgres("23505"), dialect.Duplicate},
		"postgres undefined table":         {dialect.Postgres(), postgres("42P01"), dialect.Rejected},
		"postgres wrong password":          {dialect.Postgres(), postgres("28P01"), dialect.Rejected},
		"postgres shutting down":           {dialect.Postgres(), postgres("57P01"), dialect.Unknown},
		"postgres connection exception":    {dialect.Postgres(), postgres("08006"), dialect.Unknown},
		"postgres without a code":          {dialect.Postgres(), postgres(""), dialect.Unknown},
		"mysql lock wait, MariaDB NOWAIT":  {dialect.MySQL(), number(1205), dialect.Busy},
		"mysql NOWAIT":                     {dialect.MySQL(), number(3572), dialect.Busy},
		"mysql deadlock":                   {dialect.MySQL(), number(1213), dialect.Retry},
		"mariadb snapshot isolation":       {dialect.MySQL(), number(1020), dialect.Retry},
		"mysql duplicate":                  {dialect.MySQL(), number(1062), dialect.Duplicate},
		"mysql no such table":              {dialect.MySQL(), number(1146), dialect.Rejected},
		"mysql access denied":              {dialect.MySQL(), number(1045), dialect.Rejected},
		"mysql shutting down":              {dialect.MySQL(), number(1053), dialect.Unknown},
		"mysql query interrupted":          {dialect.MySQL(), number(1317), dialect.Unknown},
		"sqlite busy":                      {dialect.SQLite(), sqliteError(5), dialect.Busy},
		"sqlite busy, stale snapshot":      {dialect.SQLite(), sqliteError(5 | 2<<8), dialect.Busy},
		"sqlite locked":                    {dialect.SQLite(), sqliteError(6), dialect.Busy},
		"sqlite primary key":               {dialect.SQLite(), sqliteError(1555), dialect.Duplicate},
		"sqlite unique":                    {dialect.SQLite(), sqliteError(2067), dialect.Duplicate},
		"sqlite not null":                  {dialect.SQLite(), sqliteError(1299), dialect.Rejected},
		"sqlite interrupted":               {dialect.SQLite(), sqliteError(9), dialect.Unknown},
		"sqlite disk error":                {dialect.SQLite(), sqliteError(10 | 3<<8), dialect.Unknown},
		"a broken connection":              {dialect.Postgres(), io.ErrUnexpectedEOF, dialect.Unknown},
		"the driver's own broken one":      {dialect.MySQL(), mysql.ErrInvalidConn, dialect.Unknown},
		"the context":                      {dialect.SQLite(), context.Canceled, dialect.Unknown},
		"another database's error":         {dialect.MySQL(), postgres("40001"), dialect.Unknown},
		"the code counts, wrapped or not":  {dialect.Postgres(), fmt.Errorf("x: %w", postgres("40001")), dialect.Retry},
		"the code counts, joined with any": {dialect.MySQL(), errors.Join(io.EOF, number(1213)), dialect.Retry},
	} {
		if got := c.d.Class(c.err); got != c.want {
			t.Errorf("%s: class %v, want %v", name, got, c.want)
		}
		if got, want := c.want.Transient(), c.want == dialect.Busy || c.want == dialect.Retry; got != want {
			t.Errorf("%v.Transient() = %v, want %v", c.want, got, want)
		}
	}
}
