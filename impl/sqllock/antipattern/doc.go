// Package antipattern does locks in a table wrongly, one way each, to be shown
// and tested: do not use it.
//
// Every type is as close to package sqllock as its one mistake allows, and is
// made with the same configuration.
//
// What belongs here: a mistake that a lesson shows, with the sentence that names
// it. What does not: anything that a program could want.
package antipattern

import (
	"database/sql"

	"github.com/lockstep-sim/lockstep/impl/internal/sqlengine"
	"github.com/lockstep-sim/lockstep/impl/sqllock"
	"github.com/lockstep-sim/lockstep/impl/sqllock/internal/table"
)

// build makes an engine of the right protocol with one mistake in it.
func build(
	db *sql.DB, cfg sqllock.Config, mistake func(table.Protocol) sqlengine.Protocol,
) (*sqlengine.Engine, error) {
	p, err := table.NewProtocol(db, table.Config(cfg))
	if err != nil {
		return nil, err
	}
	return sqlengine.New(mistake(p), table.Config(cfg).Engine())
}
