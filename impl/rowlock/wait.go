package rowlock

import (
	"fmt"
	"time"

	"github.com/lockstep-sim/lockstep/impl/sqllock/dialect"
)

// Wait says what a transaction does when it meets a row that another one has
// locked. The zero value waits for up to [DefaultWait].
type Wait struct {
	how   manner
	limit time.Duration
}

type manner int

const (
	bounded manner = iota
	atOnce
	passOver
)

// DefaultWait is the bound of the zero [Wait]. The databases' own is far longer
// (50 s on MySQL, no end on PostgreSQL), and behind one slow holder the callers
// pile up until the connections run out.
const DefaultWait = 3 * time.Second

// Within waits for up to limit, then fails with [ErrWaitTimeout]. The server
// counts the time: PostgreSQL and SQLite in milliseconds, MySQL and MariaDB in
// seconds, to which limit is rounded up.
func Within(limit time.Duration) Wait { return Wait{bounded, limit} }

// NoWait fails with [ErrBusy] at once.
func NoWait() Wait { return Wait{how: atOnce} }

// SkipLocked leaves locked rows out of the result, which then is a true answer
// to no question but "what can I have?". On SQLite, where nothing can be
// skipped, it waits for the database like the zero value.
func SkipLocked() Wait { return Wait{how: passOver} }

// clause is what follows a SELECT that locks its rows.
func (w Wait) clause(k dialect.Kind) string {
	switch {
	case k == dialect.KindSQLite:
		return "" // the transaction has locked the database
	case w.how == atOnce:
		return "FOR UPDATE NOWAIT"
	case w.how == passOver:
		return "FOR UPDATE SKIP LOCKED"
	}
	return "FOR UPDATE"
}

// millis is the bound in the unit of PostgreSQL and SQLite. It is never 0,
// which means "for ever" to the one.
func (w Wait) millis() int64 {
	if w.limit <= 0 {
		return DefaultWait.Milliseconds()
	}
	return max(1, w.limit.Milliseconds())
}

// seconds is the bound in the unit of MySQL.
func (w Wait) seconds() int64 { return (w.millis() + 999) / 1000 }

// script is what surrounds a transaction.
type script struct {
	begin []string // up to and with the start of the transaction
	end   []string // after COMMIT or ROLLBACK, on the same connection
}

// script bounds the wait in the way of the database. On PostgreSQL the setting
// ends with the transaction; elsewhere it belongs to the connection, which goes
// back to a pool, and so is put back.
func (w Wait) script(k dialect.Kind) script {
	switch k {
	case dialect.KindPostgres:
		if w.how != bounded {
			return script{begin: []string{"BEGIN"}}
		}
		return script{begin: []string{"BEGIN", fmt.Sprintf("SET LOCAL lock_timeout = %d", w.millis())}}
	case dialect.KindMySQL:
		if w.how != bounded {
			return script{begin: []string{"START TRANSACTION"}}
		}
		return script{
			begin: []string{
				fmt.Sprintf("SET @lockstep_wait = @@SESSION.innodb_lock_wait_timeout, "+
					"SESSION innodb_lock_wait_timeout = %d", w.seconds()),
				"START TRANSACTION",
			},
			end: []string{"SET SESSION innodb_lock_wait_timeout = @lockstep_wait"},
		}
	default:
		return script{begin: []string{"BEGIN IMMEDIATE"}}
	}
}
