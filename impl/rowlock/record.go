package rowlock

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/lockstep-sim/lockstep/impl/clock"
	"github.com/lockstep-sim/lockstep/impl/internal/sqlengine"
	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/sqllock/dialect"
)

// RecordConfig says how a [Record] behaves. Only Dialect must be given. The
// settings have the meaning that they have in sqllock.Config.
type RecordConfig struct {
	Dialect dialect.Dialect
	// Table is the name of the table. A second one with the suffix "_holds"
	// belongs to it. Empty means "lockstep_records".
	Table            string
	Clock            clock.Clock
	TTL              time.Duration
	RenewEvery       time.Duration
	NoRenew          bool
	RequestTimeout   time.Duration
	PollMin, PollMax time.Duration
	Rand             func() float64
	NewOwner         func() string
}

// Record is the lock record of the textbooks: a transaction locks the row of the
// lock with SELECT … FOR UPDATE, looks at who has it, writes down the new owner
// and commits. The lock is what is written in the row; the row's own lock only
// covers the moment of writing. So it has a lease like any other, and release
// means to write again.
//
// It can be re-entered: an acquire under lock.WithOwner succeeds at once for the
// owner that holds the lock. Each of the owner's grants is a row of its own in a
// second table, and the lock is free when the last of them is released. The
// owner must stand for one flow of control. The name of a service or of a
// machine does not: two of its goroutines would both get in.
//
// It implements lock.Locker. An acquire is a transaction of several statements,
// and so is a release. Package sqllock needs one statement each, and is the
// better choice where nothing has to be re-entered.
type Record struct {
	engine   *sqlengine.Engine
	protocol recordProtocol
}

// NewRecord makes a record. It sends nothing. A setting that cannot work is
// lock.ErrInvalid.
func NewRecord(db *sql.DB, cfg RecordConfig) (*Record, error) {
	rows, err := New(db, Config{
		Dialect: cfg.Dialect, Clock: cfg.Clock, RequestTimeout: cfg.RequestTimeout, Rand: cfg.Rand,
		Tries: 1, // the engine tries again
	})
	if err != nil {
		return nil, err
	}
	table, err := checkTable(cfg.Table, "lockstep_records")
	if err != nil {
		return nil, err
	}
	p := recordProtocol{db: rows, table: table}
	e, err := sqlengine.New(p, sqlengine.Config{
		Name: "rowlock", Dialect: cfg.Dialect, Reentrant: true,
		Clock: cfg.Clock, TTL: cfg.TTL, RenewEvery: cfg.RenewEvery, NoRenew: cfg.NoRenew,
		RequestTimeout: cfg.RequestTimeout, PollMin: cfg.PollMin, PollMax: cfg.PollMax,
		Rand: cfg.Rand, NewOwner: cfg.NewOwner,
	})
	if err != nil {
		return nil, err
	}
	return &Record{engine: e, protocol: p}, nil
}

// CreateSchema creates the tables where they are missing.
func (r *Record) CreateSchema(ctx context.Context) error {
	return r.protocol.db.createSchema(ctx,
		map[string]string{"table": r.protocol.table, "holds": r.protocol.table + "_holds"}, `
CREATE TABLE IF NOT EXISTS {table} (
name {name} NOT NULL PRIMARY KEY,
owner {name} NOT NULL,
token BIGINT NOT NULL,
expires_ms BIGINT NOT NULL
)`, `
CREATE TABLE IF NOT EXISTS {holds} (
name {name} NOT NULL,
grant_id {name} NOT NULL,
PRIMARY KEY (name, grant_id)
)`)
}

// Acquire implements lock.Locker. With lock.WithOwner it re-enters, which keeps
// the token and never shortens the lease.
func (r *Record) Acquire(ctx context.Context, key string, opts ...lock.Option) (lock.Lease, error) {
	return r.engine.Acquire(ctx, key, opts...)
}

// TryAcquire implements lock.Locker.
func (r *Record) TryAcquire(ctx context.Context, key string, opts ...lock.Option) (lock.Lease, error) {
	return r.engine.TryAcquire(ctx, key, opts...)
}

// recordProtocol implements sqlengine.Protocol.
type recordProtocol struct {
	db    *DB
	table string
}

// Grant implements sqlengine.Protocol. The row is created beforehand, in a
// transaction of its own: two that lock an absent row both succeed on InnoDB,
// and then each waits for the other with its insert.
func (p recordProtocol) Grant(ctx context.Context, c sqlengine.Claim) (token lock.Token, granted bool, err error) {
	token, granted, err = p.grant(ctx, c)
	if !errors.Is(err, ErrNoRow) {
		return token, granted, err
	}
	if err := p.create(ctx, c.Key); err != nil {
		return 0, false, err
	}
	return p.grant(ctx, c)
}

func (p recordProtocol) grant(ctx context.Context, c sqlengine.Claim) (token lock.Token, granted bool, err error) {
	err = p.db.inTx(ctx, Wait{}, func(ctx context.Context, tx *Tx) error {
		r, err := p.read(ctx, tx, c.Key)
		if err != nil {
			return err
		}
		switch {
		case r.free:
			token, err = r.token+1, p.takeOver(ctx, tx, c)
		case r.owner == c.Owner:
			token, err = r.token, p.prolong(ctx, tx, c)
		default:
			return nil
		}
		if err != nil {
			return err
		}
		granted = true
		_, err = tx.Exec(ctx, p.name("INSERT INTO {holds} (name, grant_id) VALUES (?, ?)"), c.Key, c.ID)
		return err
	})
	return token, granted && err == nil, err
}

// Renew implements sqlengine.Protocol. It needs no transaction: one statement
// checks the owner and prolongs the lease.
func (p recordProtocol) Renew(ctx context.Context, c sqlengine.Claim) (bool, error) {
	n, err := p.db.Exec(ctx, p.name(renewRecord), c.Millis(), c.Millis(), c.Key, c.Owner)
	return n > 0, err
}

// Release implements sqlengine.Protocol.
func (p recordProtocol) Release(ctx context.Context, c sqlengine.Claim) (released bool, err error) {
	err = p.db.inTx(ctx, Wait{}, func(ctx context.Context, tx *Tx) error {
		r, err := p.read(ctx, tx, c.Key)
		if released = r.heldBy(c); !released || err != nil {
			return err
		}
		n, err := tx.Exec(ctx, p.name("DELETE FROM {holds} WHERE name = ? AND grant_id = ?"), c.Key, c.ID)
		if released = n > 0; !released || err != nil {
			return err
		}
		_, err = tx.Exec(ctx, p.name("UPDATE {table} SET owner = '', expires_ms = {now} "+
			"WHERE name = ? AND NOT EXISTS (SELECT 1 FROM {holds} WHERE {holds}.name = ?)"), c.Key, c.Key)
		return err
	})
	if errors.Is(err, ErrNoRow) {
		return false, nil
	}
	return released && err == nil, err
}
