package runner

import (
	"database/sql"
	"fmt"
	"strings"

	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/rowlock"
	rowanti "github.com/lockstep-sim/lockstep/impl/rowlock/antipattern"
)

// The lock record of the textbooks, and what goes wrong with it.
const (
	recordKind          = "sqlite/record"
	sharedOwnerKind     = "sqlite/shared-owner"
	releaseByCommitKind = "sqlite/release-by-commit"
)

// recordTable has the lock records, and its view shows who has them.
const (
	recordTable = "records"
	recordView  = "SELECT name, CASE owner WHEN '' THEN 'free' ELSE owner END, " +
		"CASE owner WHEN '' THEN NULL ELSE expires_ms END FROM " + recordTable
)

func recordKindNames() []string { return []string{recordKind, releaseByCommitKind, sharedOwnerKind} }

func (b *tableBackend) newRecord(c *client, kind string) (lock.Locker, error) {
	db := b.db(c)
	record, err := b.record(db, c)
	if err != nil {
		return nil, err
	}
	switch kind {
	case sharedOwnerKind:
		return rowanti.SharedOwner{Record: record, Instance: b.x.owners.instance(c.name)}, nil
	case releaseByCommitKind:
		rows, err := b.rows(db, c)
		return rowanti.ReleaseByCommit{DB: rows, Record: record}, err
	}
	return record, nil
}

func (b *tableBackend) record(db *sql.DB, c *client) (*rowlock.Record, error) {
	cfg := b.config(c)
	return rowlock.NewRecord(db, rowlock.RecordConfig{
		Dialect: cfg.Dialect, Table: recordTable, Clock: cfg.Clock,
		TTL: cfg.TTL, NoRenew: cfg.NoRenew, Rand: cfg.Rand, NewOwner: cfg.NewOwner,
	})
}

// rows are transactions of a client.
func (b *tableBackend) rows(db *sql.DB, c *client) (*rowlock.DB, error) {
	cfg := b.config(c)
	return rowlock.New(db, rowlock.Config{Dialect: cfg.Dialect, Clock: cfg.Clock, Rand: cfg.Rand})
}

// prepareRecords makes the tables of the records and a free row for each lock.
func (b *tableBackend) prepareRecords() error {
	return b.beforehand(func(db *sql.DB) error {
		record, err := b.record(db, nil)
		if err != nil {
			return err
		}
		if err := record.CreateSchema(background); err != nil {
			return err
		}
		for _, key := range b.x.lockKeys() {
			row := fmt.Sprintf("INSERT INTO %s (name, owner, token, expires_ms) VALUES (%s, '', 0, 0)", recordTable, quoted(key))
			if err := b.engine.Run(row); err != nil {
				return err
			}
		}
		return nil
	})
}

// beforehand does something in the database that takes no time and is no part of
// the timeline.
func (b *tableBackend) beforehand(do func(*sql.DB) error) error {
	db := b.store.DB(b.x.k.NewProcess("setup"))
	defer db.Close() //nolint:errcheck // an in-memory connection: nothing can fail
	return do(db)
}

// instance is the name of the service that a client is a goroutine of: its own
// name without the number. In the table it stands for the client that uses it
// first.
func (o *owners) instance(client string) string {
	name := strings.TrimRight(client, "0123456789")
	if _, known := o.clients[name]; !known {
		o.clients[name] = client
	}
	return name
}
