package antipattern

import (
	"context"
	"errors"

	"github.com/lockstep-sim/lockstep/impl/rowlock"
)

// AbsentRow locks a row with SELECT … FOR UPDATE and inserts it in the same
// transaction when there is none. There is nothing to lock in an absent row: two
// callers both get past the SELECT. On InnoDB each then holds a lock on the gap
// that the other one's insert needs, which is a deadlock; on PostgreSQL the
// second insert violates the unique index. The caller is told that the service
// has failed, not that the lock is taken.
type AbsentRow struct {
	DB *rowlock.DB
	// Table has a column "name" with a unique index, and an "owner".
	Table string
	// Looked, if any, is called between the SELECT and the INSERT.
	Looked func()
}

// Claim writes the owner into the row of the given name. It reports false when
// somebody else stands there.
func (a AbsentRow) Claim(ctx context.Context, name, owner string) (mine bool, err error) {
	err = a.DB.InTx(ctx, rowlock.Wait{}, func(ctx context.Context, tx *rowlock.Tx) error {
		var found string
		err := tx.One(ctx, "SELECT owner FROM "+a.Table+" WHERE name = ? {lock}", []any{name}, &found)
		if !errors.Is(err, rowlock.ErrNoRow) {
			mine = found == owner
			return err
		}
		if a.Looked != nil {
			a.Looked()
		}
		mine = true
		_, err = tx.Exec(ctx, "INSERT INTO "+a.Table+" (name, owner) VALUES (?, ?)", name, owner)
		return err
	})
	return mine && err == nil, err
}
