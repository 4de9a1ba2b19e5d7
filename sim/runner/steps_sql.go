package runner

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/lockstep-sim/lockstep/impl/rowlock"
	rowanti "github.com/lockstep-sim/lockstep/impl/rowlock/antipattern"
	"github.com/lockstep-sim/lockstep/impl/sqllock/dialect"
	"github.com/lockstep-sim/lockstep/sim/script"
)

// errRefused is all that a caller is told where every refusal looks the same.
var errRefused = errors.New("refused")

// rowsOf are the transactions of the client, each tried so often; 0 means as
// often as package rowlock does by itself.
func (c *client) rowsOf(tries int) (*rowlock.DB, error) {
	b, ok := c.x.backend.(*rowBackend)
	if !ok {
		return nil, errors.New("this store locks no rows")
	}
	return b.rows(c, tries)
}

// waits is how a step waits for a row: as its options say.
func (c *client) waits(s *script.Step) rowlock.Wait {
	if flag(s, "nowait") {
		return rowlock.NoWait()
	}
	if flag(s, "skip-locked") {
		return rowlock.SkipLocked()
	}
	if v, ok := option(s, "wait"); ok {
		return rowlock.Within(c.x.duration(v))
	}
	return rowlock.Wait{}
}

// buy takes one of an item out of the stock. With retry, it tries again after
// that time for as long as the row is busy, which "sold out" is not.
func (c *client) buy(s *script.Step) error {
	err := c.buyOnce(s)
	pause, again := option(s, "retry")
	for again && errors.Is(err, rowlock.ErrBusy) {
		_ = c.clk.Sleep(background, c.x.duration(pause)) // the background never ends
		err = c.buyOnce(s)
	}
	return err
}

func (c *client) buyOnce(s *script.Step) error {
	rows, err := c.rowsOf(0)
	if err != nil {
		return err
	}
	stock, err := rowlock.NewStock(rows, stockTable)
	if err != nil {
		return err
	}
	item := s.Args[0].Text
	switch work, works := option(s, "work"); {
	case works:
		return buySlowly(c, rows, item, c.x.duration(work), c.waits(s))
	case flag(s, "in-one"):
		return stock.DeductInOne(background, item, 1)
	case flag(s, "one-answer"):
		if !(rowanti.OneAnswer{Stock: stock}).Deduct(background, item, 1) {
			return errRefused
		}
		return nil
	}
	_, err = stock.Deduct(background, item, 1, c.waits(s))
	return err
}

// buySlowly works while the transaction is open, such as by calling another
// service.
func buySlowly(c *client, rows *rowlock.DB, item string, work time.Duration, w rowlock.Wait) error {
	return rows.InTx(background, w, func(ctx context.Context, tx *rowlock.Tx) error {
		var left int64
		err := tx.One(ctx, "SELECT quantity FROM "+stockTable+" WHERE item = ? {lock}", []any{item}, &left)
		if err == nil && left == 0 {
			err = rowlock.ErrSoldOut
		}
		if err == nil {
			err = c.clk.Sleep(ctx, work)
		}
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, "UPDATE "+stockTable+" SET quantity = quantity - 1 WHERE item = ?", item)
		return err
	})
}

// move moves one from an item to another.
func (c *client) move(s *script.Step) error {
	from, to := s.Args[0].Text, s.Args[1].Text
	if flag(s, "call-order") {
		rows, err := c.rowsOf(1)
		if err != nil {
			return err
		}
		return rowanti.CallOrder{DB: rows, Table: stockTable}.Move(background, from, to, 1)
	}
	rows, err := c.rowsOf(0)
	if err != nil {
		return err
	}
	stock, err := rowlock.NewStock(rows, stockTable)
	if err != nil {
		return err
	}
	return stock.Move(background, from, to, 1, c.waits(s))
}

// takeCoupons takes up to N coupons out of the queue.
func (c *client) takeCoupons(s *script.Step) error {
	rows, err := c.rowsOf(0)
	if err != nil {
		return err
	}
	q, err := rowlock.NewQueue(rows, couponTable)
	if err != nil {
		return err
	}
	taken, err := q.Take(background, c.name, int(c.x.integer(s.Args[0])), c.waits(s))
	if err == nil && len(taken) == 0 {
		err = rowlock.ErrSoldOut
	}
	return err
}

// claim writes the client into a row that need not exist yet.
func (c *client) claim(s *script.Step) error {
	rows, err := c.rowsOf(1)
	if err != nil {
		return err
	}
	mine, err := rowanti.AbsentRow{DB: rows, Table: claimTable}.Claim(background, c.x.key(s), c.name)
	if err == nil && !mine {
		err = fmt.Errorf("%s: %w", c.x.key(s), errRefused)
	}
	return err
}

// sqlOutcome is the word for an error of a transaction, or empty. Both databases
// are asked: each knows its own errors only.
func sqlOutcome(err error) string {
	switch {
	case errors.Is(err, rowlock.ErrSoldOut):
		return "sold-out"
	case errors.Is(err, rowlock.ErrBusy):
		return "busy"
	case errors.Is(err, rowlock.ErrWaitTimeout):
		return "timeout"
	case errors.Is(err, errRefused):
		return "refused"
	}
	for _, d := range []dialect.Dialect{dialect.Postgres(), dialect.MySQL()} {
		switch d.Class(err) {
		case dialect.Retry:
			return "deadlock"
		case dialect.Duplicate:
			return "duplicate"
		}
	}
	return ""
}
