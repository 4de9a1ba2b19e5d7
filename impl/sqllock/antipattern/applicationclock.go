package antipattern

import (
	"context"
	"database/sql"
	"strconv"

	"github.com/lockstep-sim/lockstep/impl/clock"
	"github.com/lockstep-sim/lockstep/impl/internal/sqlengine"
	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/sqllock"
	"github.com/lockstep-sim/lockstep/impl/sqllock/internal/table"
)

// ApplicationClock decides what has expired by the clock of the application. A
// client whose clock is fast takes a lock over before its time, and one that
// pauses after it has looked at its clock writes an expiry that lies in the
// past.
type ApplicationClock struct{ *sqlengine.Engine }

// NewApplicationClock makes one. Its clock is cfg.Clock.
func NewApplicationClock(db *sql.DB, cfg sqllock.Config) (*ApplicationClock, error) {
	e, err := build(db, cfg, func(p table.Protocol) sqlengine.Protocol { return applicationClock{p, clock.Or(cfg.Clock)} })
	if err != nil {
		return nil, err
	}
	return &ApplicationClock{e}, nil
}

// applicationClock implements sqlengine.Protocol.
type applicationClock struct {
	right table.Protocol
	clk   clock.Clock
}

// now is the right protocol with the application's time put into its statements
// in place of the database's.
func (p applicationClock) now() table.Protocol {
	wrong := p.right
	wrong.Dialect = wrong.Dialect.WithNow(strconv.FormatInt(p.clk.Now().UnixMilli(), 10))
	wrong.Statements = table.NewStatements(wrong.Dialect, wrong.Table, false)
	return wrong
}

// Grant implements sqlengine.Protocol.
func (p applicationClock) Grant(ctx context.Context, c sqlengine.Claim) (lock.Token, bool, error) {
	return p.now().Grant(ctx, c)
}

// Renew implements sqlengine.Protocol.
func (p applicationClock) Renew(ctx context.Context, c sqlengine.Claim) (bool, error) {
	return p.now().Renew(ctx, c)
}

// Release implements sqlengine.Protocol.
func (p applicationClock) Release(ctx context.Context, c sqlengine.Claim) (bool, error) {
	return p.now().Release(ctx, c)
}
