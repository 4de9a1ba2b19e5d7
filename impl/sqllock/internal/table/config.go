package table

import (
	"database/sql"
	"fmt"
	"regexp"
	"time"

	"github.com/lockstep-sim/lockstep/impl/clock"
	"github.com/lockstep-sim/lockstep/impl/internal/sqlengine"
	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/sqllock/dialect"
)

// DefaultName is the name of the table unless the configuration says otherwise.
const DefaultName = "lockstep_locks"

// maxChannel is the longest name of a channel that PostgreSQL takes, in bytes.
const maxChannel = 63

// Config has the fields of sqllock.Config, which is converted to it and has the
// documentation.
type Config struct {
	Dialect          dialect.Dialect
	Table            string
	Notify           bool
	Clock            clock.Clock
	TTL              time.Duration
	RenewEvery       time.Duration
	NoRenew          bool
	RequestTimeout   time.Duration
	PollMin, PollMax time.Duration
	Rand             func() float64
	NewOwner         func() string
}

// Engine is the part that the engine needs.
func (c Config) Engine() sqlengine.Config {
	return sqlengine.Config{
		Name: "sqllock", Dialect: c.Dialect,
		Clock: c.Clock, TTL: c.TTL, RenewEvery: c.RenewEvery, NoRenew: c.NoRenew,
		RequestTimeout: c.RequestTimeout, PollMin: c.PollMin, PollMax: c.PollMax,
		Rand: c.Rand, NewOwner: c.NewOwner,
	}
}

// name allows what needs no quoting in any of the databases.
var name = regexp.MustCompile(`^([A-Za-z_][A-Za-z0-9_]{0,40}\.)?[A-Za-z_][A-Za-z0-9_]{0,40}$`)

// CheckName returns the name of the table, or lock.ErrInvalid.
func CheckName(table string) (string, error) {
	switch {
	case table == "":
		return DefaultName, nil
	case !name.MatchString(table):
		return "", fmt.Errorf("sqllock: %w: table name %q: use up to 41 letters, digits and underscores, "+
			"after a schema and a dot if need be", lock.ErrInvalid, table)
	}
	return table, nil
}

// NewProtocol checks what the protocol needs of the configuration and makes it.
// The error is lock.ErrInvalid.
func NewProtocol(db *sql.DB, c Config) (Protocol, error) {
	if db == nil {
		return Protocol{}, fmt.Errorf("sqllock: %w: no database", lock.ErrInvalid)
	}
	table, err := CheckName(c.Table)
	if err != nil {
		return Protocol{}, err
	}
	if c.Notify && len(table) > maxChannel {
		return Protocol{}, fmt.Errorf("sqllock: %w: table name %q: with Notify it has at most %d bytes",
			lock.ErrInvalid, table, maxChannel)
	}
	return Protocol{
		DB: db, Dialect: c.Dialect, Table: table,
		Statements: NewStatements(c.Dialect, table, c.Notify),
	}, nil
}
