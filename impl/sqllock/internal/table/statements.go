// Package table has the statements of the lock table in the words of each
// database, and sends those that belong to a lease.
//
// What belongs here: what sqllock and its antipatterns share. What does not:
// anything about waiting, renewal or local time, which is package sqlengine's.
package table

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
	// before it. So the expiry, on which the others depend, comes last, and is
	// told that the row was taken over by its owner, which no other grant ever
	// has. That is right as well for MariaDB's SIMULTANEOUS_ASSIGNMENT.
	//
	// LAST_INSERT_ID(x) hands x to the client along with the result. Here it
	// is the token of the grant, and 0 for a refusal. The count of affected
	// rows would not do: with the clientFoundRows option it is 1 for a row
	// that was inserted as well as for one that was left alone.
	acquireMySQL = `
INSERT INTO {table} (name, owner, token, expires_ms)
VALUES (?, ?, LAST_INSERT_ID(COALESCE((SELECT token FROM {floor}), 0) + 1), {now} + ?)
ON DUPLICATE KEY UPDATE
token = IF(owner = '' OR expires_ms < {now}, LAST_INSERT_ID(token + 1), token + LAST_INSERT_ID(0)),
owner = IF(owner = '' OR expires_ms < {now}, ?, owner),
expires_ms = IF(owner IN (?, '') OR expires_ms < {now}, {now} + ?, expires_ms)`

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

// The clean-up. See sqllock.Mutex.CleanUp for the floor.
const (
	// One statement looks and deletes. Between a look and a delete of its own
	// a row could be taken over, and a live lock would go.
	deleteIdle = `
DELETE FROM {table}
WHERE expires_ms < {now} - ?
AND token <= (SELECT token FROM {floor} WHERE raised_ms < {now} - ?)`

	raiseFloor = `
INSERT INTO {floor} AS f (id, token, raised_ms)
SELECT 1, MAX(token), {now} FROM {table} WHERE expires_ms < {now} - ? HAVING COUNT(*) > 0
ON CONFLICT (id) DO UPDATE
SET token = excluded.token, raised_ms = excluded.raised_ms
WHERE f.token < excluded.token AND f.raised_ms < {now} - ?`

	// The time is assigned after the token, whose new value still satisfies its
	// condition: see acquireMySQL.
	raiseFloorMySQL = `
INSERT INTO {floor} (id, token, raised_ms)
SELECT 1, MAX(token), {now} FROM {table} WHERE expires_ms < {now} - ? HAVING COUNT(*) > 0
ON DUPLICATE KEY UPDATE
token = IF({floor}.token < VALUES(token) AND {floor}.raised_ms < {now} - ?, VALUES(token), {floor}.token),
raised_ms = IF({floor}.token <= VALUES(token) AND {floor}.raised_ms < {now} - ?, VALUES(raised_ms), {floor}.raised_ms)`
)

// Statements are those above in the words of one database.
type Statements struct {
	Acquire, Renew, Release string
	DeleteIdle, RaiseFloor  string
	Schema                  []string
}

// NewStatements writes them for the table of the given name.
func NewStatements(d dialect.Dialect, name string, notify bool) Statements {
	write := func(statement string) string { return Rewrite(d, name, statement) }
	s := Statements{
		Acquire: write(acquireReturning), Renew: write(renew), Release: write(release),
		DeleteIdle: write(deleteIdle), RaiseFloor: write(raiseFloor),
	}
	if d.Kind() == dialect.KindMySQL {
		s.Acquire, s.RaiseFloor = write(acquireMySQL), write(raiseFloorMySQL)
	}
	if notify && d.Kind() == dialect.KindPostgres {
		s.Release = write(releaseNotify)
	}
	for _, statement := range schema[d.Kind()] {
		s.Schema = append(s.Schema, write(statement))
	}
	return s
}

// Rewrite puts the name of the table into a statement and turns it into the
// dialect. {table} is the table, {floor} the one beside it.
func Rewrite(d dialect.Dialect, name, statement string) string {
	return d.Rewrite(statement, map[string]string{"table": name, "floor": name + "_floor"})
}
