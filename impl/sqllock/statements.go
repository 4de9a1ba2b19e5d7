package sqllock

import "github.com/lockstep-sim/lockstep/impl/sqllock/dialect"

// A row is free when it has no owner or its time is over. "Over" is strict: the
// clock is cut to milliseconds, and a lease must not end before its TTL.
const (
	acquireReturning = `
INSERT INTO {table} AS held (name, owner, token, expires_ms)
VALUES (?, ?, COALESCE((SELECT token FROM {floor}), 0) + 1, {now} + ?)
ON CONFLICT (name) DO UPDATE
SET owner = excluded.owner, token = held.token + 1, expires_ms = {now} + ?
WHERE held.owner = '' OR held.expires_ms < {now}
RETURNING token`

	// MySQL has neither a condition on the update nor a returned row, and it
	// assigns from left to right: each assignment sees the new values of those
	// before it. So the owner comes first, by a condition on the old expiry,
	// and the rest follows the owner, which no other grant ever has.
	//
	// LAST_INSERT_ID(x) hands x to the client along with the result. Here it
	// is the token of the grant, and 0 for a refusal. The count of affected
	// rows would not do: with the clientFoundRows option it is 1 for a row
	// that was inserted as well as for one that was left alone.
	acquireMySQL = `
INSERT INTO {table} (name, owner, token, expires_ms)
VALUES (?, ?, LAST_INSERT_ID(COALESCE((SELECT token FROM {floor}), 0) + 1), {now} + ?)
ON DUPLICATE KEY UPDATE
owner = IF(owner = '' OR expires_ms < {now}, ?, owner),
token = IF(owner = ?, LAST_INSERT_ID(token + 1), token + LAST_INSERT_ID(0)),
expires_ms = IF(owner = ?, {now} + ?, expires_ms)`

	// A renewal never shortens a lease. It always changes the row, if only by
	// a millisecond, because MySQL counts changed rows, not found ones.
	renew = `
UPDATE {table}
SET expires_ms = CASE WHEN expires_ms < {now} + ? THEN {now} + ? ELSE expires_ms + 1 END
WHERE name = ? AND owner = ? AND expires_ms >= {now}`

	// The row stays, and with it the count of the grants. Its expiry becomes
	// the time of the release, from which the clean-up counts.
	release = `
UPDATE {table} SET owner = '', expires_ms = {now}
WHERE name = ? AND owner = ? AND expires_ms >= {now}`

	// The announcement is part of the statement: it is made if and only if the
	// release takes effect, and costs no request of its own.
	releaseNotify = `
WITH freed AS (
UPDATE {table} SET owner = '', expires_ms = {now}
WHERE name = ? AND owner = ? AND expires_ms >= {now}
RETURNING name)
SELECT pg_notify('{table}', name) FROM freed`
)

// statements are those of this package in the words of one database.
type statements struct {
	acquire, renew, release string
	deleteIdle, raiseFloor  string
	schema                  []string
}

func newStatements(d dialect.Dialect, table string, notify bool) statements {
	write := func(statement string) string {
		return d.Rewrite(statement, map[string]string{"table": table, "floor": table + "_floor"})
	}
	s := statements{
		acquire: write(acquireReturning), renew: write(renew), release: write(release),
		deleteIdle: write(deleteIdle), raiseFloor: write(raiseFloor),
	}
	if d.Kind() == dialect.KindMySQL {
		s.acquire, s.raiseFloor = write(acquireMySQL), write(raiseFloorMySQL)
	}
	if notify && d.Kind() == dialect.KindPostgres {
		s.release = write(releaseNotify)
	}
	for _, statement := range schema[d.Kind()] {
		s.schema = append(s.schema, write(statement))
	}
	return s
}
