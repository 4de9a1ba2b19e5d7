// Package antipattern guards data in an SQL database wrongly, one way each, to
// be shown and tested: do not use it.
//
// What belongs here: a mistake that a lesson shows, with the sentence that names
// it. What does not: anything that a program could want.
package antipattern

import (
	"context"
	"fmt"

	"github.com/lockstep-sim/lockstep/impl/fencing"
	"github.com/lockstep-sim/lockstep/impl/fencing/sqlfencing"
	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/sqllock/dialect"
)

// CheckThenWrite compares the token in one statement and writes in another. A
// newer holder's write fits in between and is overwritten.
type CheckThenWrite struct {
	Conn sqlfencing.Conn
	// Table is that of a sqlfencing.Resource.
	Table string
}

// Write sets the number, with the errors of sqlfencing.Resource.Write.
func (c CheckThenWrite) Write(ctx context.Context, name string, value int64, token lock.Token) error {
	var seen lock.Token
	err := c.Conn.One(ctx, "SELECT token FROM "+c.Table+" WHERE name = ?", []any{name}, &seen)
	if err == nil && token < seen {
		err = &fencing.StaleError{Name: name, Token: token, Seen: seen}
	}
	if err == nil {
		_, err = c.Conn.Exec(ctx, "UPDATE "+c.Table+" SET value = ?, token = ? WHERE name = ?", value, int64(token), name)
	}
	if err != nil {
		return fmt.Errorf("antipattern: write %q: %w", name, err)
	}
	return nil
}

// PlainUpsert writes whatever comes. It can be repeated without harm, which is
// often taken for being safe, but the late write of a stale holder is a write
// like any other and overwrites newer data.
type PlainUpsert struct {
	Conn sqlfencing.Conn
	// Table is that of a sqlfencing.Resource.
	Table string
}

// Write sets the number. It has no use for the token.
func (p PlainUpsert) Write(ctx context.Context, name string, value int64, _ lock.Token) error {
	upsert := "INSERT INTO " + p.Table + " (name, value, token) VALUES (?, ?, 0) "
	if p.Conn.Dialect().Kind() == dialect.KindMySQL {
		upsert += "ON DUPLICATE KEY UPDATE value = ?"
	} else {
		upsert += "ON CONFLICT (name) DO UPDATE SET value = ?"
	}
	_, err := p.Conn.Exec(ctx, upsert, name, value, value)
	if err != nil {
		return fmt.Errorf("antipattern: write %q: %w", name, err)
	}
	return nil
}
