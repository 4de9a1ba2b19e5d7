package sqlfencing

import (
	"context"
	"fmt"

	"github.com/lockstep-sim/lockstep/impl/sqllock/dialect"
)

// InsertOnce carries out an INSERT of one row, with ? for its arguments, and
// reports false when a unique index refused the row because it exists. That is
// an answer and not a failure: the transaction can go on, on PostgreSQL too,
// where the error of a plain INSERT would abort it.
//
// An index over what may exist once, such as (post, user), is the defence that
// cannot be forgotten, cannot expire and needs no lock.
func InsertOnce(ctx context.Context, c Conn, insert string, args ...any) (inserted bool, err error) {
	mysql := c.Dialect().Kind() == dialect.KindMySQL
	if !mysql {
		insert += " ON CONFLICT DO NOTHING"
	}
	changed, err := c.Exec(ctx, insert, args...)
	// MySQL's INSERT IGNORE would swallow other errors as well, and its
	// transaction survives the error of a duplicate.
	if mysql && c.Dialect().Class(err) == dialect.Duplicate {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("sqlfencing: insert once: %w", err)
	}
	return changed > 0, nil
}
