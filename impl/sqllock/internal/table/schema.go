package table

import "github.com/lockstep-sim/lockstep/impl/sqllock/dialect"

// Keys are compared byte by byte in each of the databases. On MySQL that takes
// a binary type: a text column would hold "a" and "A", or "a" and "a ", to be
// the same lock. The index on the expiry is for MySQL alone, whose clean-up
// would otherwise lock every row that it looks at; elsewhere it would only make
// each renewal dearer.
var schema = map[dialect.Kind][]string{
	dialect.KindSQLite: {`
CREATE TABLE IF NOT EXISTS {table} (
name TEXT NOT NULL PRIMARY KEY,
owner TEXT NOT NULL,
token INTEGER NOT NULL,
expires_ms INTEGER NOT NULL
) WITHOUT ROWID`, `
CREATE TABLE IF NOT EXISTS {floor} (
id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
token INTEGER NOT NULL,
raised_ms INTEGER NOT NULL
)`},
	dialect.KindPostgres: {`
CREATE TABLE IF NOT EXISTS {table} (
name TEXT NOT NULL PRIMARY KEY,
owner TEXT NOT NULL,
token BIGINT NOT NULL,
expires_ms BIGINT NOT NULL
)`, `
CREATE TABLE IF NOT EXISTS {floor} (
id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
token BIGINT NOT NULL,
raised_ms BIGINT NOT NULL
)`},
	dialect.KindMySQL: {`
CREATE TABLE IF NOT EXISTS {table} (
name VARBINARY(255) NOT NULL PRIMARY KEY,
owner VARBINARY(255) NOT NULL,
token BIGINT NOT NULL,
expires_ms BIGINT NOT NULL,
KEY by_expiry (expires_ms)
) ENGINE = InnoDB`, `
CREATE TABLE IF NOT EXISTS {floor} (
id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
token BIGINT NOT NULL,
raised_ms BIGINT NOT NULL
) ENGINE = InnoDB`},
}
