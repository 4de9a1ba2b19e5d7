package sqlfencing

import (
	"context"
	"errors"
	"fmt"

	"github.com/lockstep-sim/lockstep/impl/fencing"
	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/rowlock"
)

// ErrNoRow: the row to be written does not exist.
var ErrNoRow = rowlock.ErrNoRow

// Fence guards the rows of a table of the caller's own. The table has a column
// for the largest token that the row has been written with.
type Fence struct {
	// Table, Key and Token name the table, the column that finds the row, and
	// the column of the token, a BIGINT that is not null. They go into
	// statements as they are and must not come from outside.
	Table, Key, Token string
}

// Update carries out "UPDATE … SET set" on the row with that key, if its token
// is not larger than the given one, and puts the given one there. Comparing and
// writing are one statement, so nothing comes between them. set has ? for its
// arguments, as in "balance = balance - ?".
//
// A refused update changes nothing and is a *fencing.StaleError, which is
// fencing.ErrStale. Without such a row it is [ErrNoRow].
func (f Fence) Update(ctx context.Context, c Conn, key any, token lock.Token, set string, args ...any) error {
	args = append(append([]any{}, args...), int64(token), key, int64(token))
	changed, err := c.Exec(ctx, "UPDATE "+f.Table+" SET "+set+", "+f.Token+" = ? "+
		"WHERE "+f.Key+" = ? AND "+f.Token+" <= ?", args...)
	if err == nil && changed == 0 {
		err = f.whyNot(ctx, c, key, token)
	}
	if err != nil {
		return fmt.Errorf("sqlfencing: update %s %v: %w", f.Table, key, err)
	}
	return nil
}

// whyNot finds the reason why no row was changed. On MySQL it may be that the
// row was right already: it counts changed rows, not found ones.
func (f Fence) whyNot(ctx context.Context, c Conn, key any, token lock.Token) error {
	seen, err := f.Seen(ctx, c, key)
	if err != nil || seen <= token {
		return err
	}
	return &fencing.StaleError{Name: fmt.Sprint(key), Token: token, Seen: seen}
}

// Seen returns the largest token that the row has been written with.
func (f Fence) Seen(ctx context.Context, c Conn, key any) (token lock.Token, err error) {
	err = c.One(ctx, "SELECT "+f.Token+" FROM "+f.Table+" WHERE "+f.Key+" = ?", []any{key}, &token)
	if err != nil && !errors.Is(err, ErrNoRow) {
		err = fmt.Errorf("read token: %w", err)
	}
	return token, err
}
