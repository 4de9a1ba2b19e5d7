package sqllock

import (
	"context"
	"fmt"
	"time"

	"github.com/lockstep-sim/lockstep/impl/lock"
)

// MinIdle is the shortest idle time that [Mutex.CleanUp] takes.
const MinIdle = time.Minute

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

	// From left to right: the time is assigned while the old token can still
	// be seen.
	raiseFloorMySQL = `
INSERT INTO {floor} (id, token, raised_ms)
SELECT 1, MAX(token), {now} FROM {table} WHERE expires_ms < {now} - ? HAVING COUNT(*) > 0
ON DUPLICATE KEY UPDATE
raised_ms = IF({floor}.token < VALUES(token) AND {floor}.raised_ms < {now} - ?, VALUES(raised_ms), {floor}.raised_ms),
token = IF({floor}.raised_ms = VALUES(raised_ms), GREATEST({floor}.token, VALUES(token)), {floor}.token)`
)

// CleanUp deletes the rows of locks that have been free, or expired, for longer
// than idle, and returns how many they were. It is for programs with names
// without bound, such as one for each order; others do not need it. Run it now
// and then, from one process or from several: it deletes what the run before it
// announced, so a row goes after one to two times idle.
//
// With a row goes the count of its grants, and tokens must never start again.
// So the largest token of the rows to be deleted is first put into the floor, a
// table of one row above which new rows start to count. It must be there long
// enough that no statement is still under way that read the floor before: idle
// must exceed any such time by far. Below [MinIdle] it is lock.ErrInvalid.
func (m *Mutex) CleanUp(ctx context.Context, idle time.Duration) (deleted int64, err error) {
	if idle < MinIdle {
		return 0, fmt.Errorf("sqllock: clean up: %w: idle time %v is below the minimum of %v",
			lock.ErrInvalid, idle, MinIdle)
	}
	ms := idle.Milliseconds()
	deleted, err = m.engine.Do(ctx, m.exec(m.statements.deleteIdle, ms, ms))
	if err == nil {
		_, err = m.engine.Do(ctx, m.exec(m.statements.raiseFloor, ms, ms))
	}
	if err != nil {
		return deleted, fmt.Errorf("sqllock: clean up: %w", err)
	}
	return deleted, nil
}

func (m *Mutex) exec(statement string, args ...any) func(context.Context) (int64, error) {
	return func(ctx context.Context) (int64, error) {
		r, err := m.db.ExecContext(ctx, statement, args...)
		if err != nil {
			return 0, err
		}
		return r.RowsAffected()
	}
}
