package rowlock

import (
	"context"
	"strings"

	"github.com/lockstep-sim/lockstep/impl/internal/sqlengine"
	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/sqllock/dialect"
)

// record is a row as it is found, locked until the transaction ends.
type record struct {
	owner string
	token lock.Token
	free  bool // has no owner, or its lease is over by the database's clock
}

func (r record) heldBy(c sqlengine.Claim) bool { return !r.free && r.owner == c.Owner }

func (p recordProtocol) read(ctx context.Context, tx *Tx, key string) (r record, err error) {
	r.free = true // should it not exist
	err = tx.One(ctx, p.name("SELECT owner, token, CASE WHEN owner = '' OR expires_ms < {now} THEN 1 ELSE 0 END AS free "+
		"FROM {table} WHERE name = ? {lock}"), []any{key}, &r.owner, &r.token, &r.free)
	return r, err
}

// takeOver makes the claim's owner the only one, whoever was there before.
func (p recordProtocol) takeOver(ctx context.Context, tx *Tx, c sqlengine.Claim) error {
	_, err := tx.Exec(ctx, p.name("UPDATE {table} SET owner = ?, token = token + 1, expires_ms = {now} + ? "+
		"WHERE name = ?"), c.Owner, c.Millis(), c.Key)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, p.name("DELETE FROM {holds} WHERE name = ?"), c.Key)
	return err
}

// prolong gives the owner a full TTL from now, and never less than it had.
func (p recordProtocol) prolong(ctx context.Context, tx *Tx, c sqlengine.Claim) error {
	_, err := tx.Exec(ctx, p.name("UPDATE {table} SET expires_ms = {now} + ? "+
		"WHERE name = ? AND expires_ms < {now} + ?"), c.Millis(), c.Key, c.Millis())
	return err
}

// renewRecord always changes the row, if only by a millisecond, because MySQL
// counts changed rows, not found ones.
const renewRecord = `
UPDATE {table}
SET expires_ms = CASE WHEN expires_ms < {now} + ? THEN {now} + ? ELSE expires_ms + 1 END
WHERE name = ? AND owner = ? AND expires_ms >= {now}`

// create makes the row where it is missing, free.
func (p recordProtocol) create(ctx context.Context, key string) error {
	statement := "INSERT INTO {table} (name, owner, token, expires_ms) VALUES (?, '', 0, 0) "
	if p.db.cfg.Dialect.Kind() == dialect.KindMySQL {
		statement += "ON DUPLICATE KEY UPDATE token = token"
	} else {
		statement += "ON CONFLICT (name) DO NOTHING"
	}
	_, err := p.db.Exec(ctx, p.name(statement), key)
	return err
}

func (p recordProtocol) name(statement string) string {
	return strings.ReplaceAll(inTable(p.table, statement), "{holds}", p.table+"_holds")
}
