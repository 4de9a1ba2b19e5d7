// Package sqlfencing makes data in an SQL database right even when the lock
// that guards it is not: [Resource] and [Fence] refuse what comes with a stale
// token, [Idempotency] carries a request out once, and [InsertOnce] leaves it to
// a unique index that something exists only once.
//
// Each of them decides in one statement of the database, or in one transaction.
// None needs the lock to be right; with them a lock saves work and collisions,
// and no more depends on it.
//
// What belongs here: the defences on the side of the data. What does not: locks,
// and the same in memory (package fencing).
package sqlfencing

import (
	"context"

	"github.com/lockstep-sim/lockstep/impl/sqllock/dialect"
)

// Conn is what statements are sent through: a *rowlock.DB, where each is a
// transaction of its own, or a *rowlock.Tx.
type Conn interface {
	Dialect() dialect.Dialect
	Exec(ctx context.Context, statement string, args ...any) (changed int64, err error)
	One(ctx context.Context, query string, args []any, dest ...any) error
}
