// Package pgnotify wakes the waiters of a sqllock.Mutex when another process
// releases a lock on PostgreSQL: it listens to the announcements that the
// setting Notify of that process makes. A hand-over then takes a round trip or
// two instead of half a pause.
//
// An announcement may be lost, with the connection that listens for example.
// Waiters go on polling in any case, so that costs no more than one pause.
//
// What belongs here: what needs the driver pgx by name. What does not: anything
// that works with every driver (package sqllock).
package pgnotify

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/lockstep-sim/lockstep/impl/clock"
	"github.com/lockstep-sim/lockstep/impl/sqllock"
)

// Waker is the part of a sqllock.Mutex that is told of releases.
type Waker interface {
	// Wake is told the key that was released.
	Wake(key string)
	// WakeAll is called when releases may have been missed.
	WakeAll()
}

// Config says what to listen to. The zero value fits a mutex whose settings have
// their defaults.
type Config struct {
	// Table is that of the mutex. Empty means sqllock.DefaultTable.
	Table string
	// Clock is the source of time. Nil means the real one.
	Clock clock.Clock
	// Retry is the pause before a new connection after one that broke. Zero
	// means 1 s.
	Retry time.Duration
}

// Listener listens until it is closed.
type Listener struct {
	db     *sql.DB
	waker  Waker
	cfg    Config
	cancel context.CancelFunc
	joined clock.Event
}

// Listen starts to listen, on a connection of its own out of db, which must be
// one of pgx. A connection that cannot be had is not an error: the listener goes
// on trying.
func Listen(db *sql.DB, waker Waker, cfg Config) *Listener {
	cfg.Clock = clock.Or(cfg.Clock)
	if cfg.Table == "" {
		cfg.Table = sqllock.DefaultTable
	}
	if cfg.Retry <= 0 {
		cfg.Retry = time.Second
	}
	ctx, cancel := context.WithCancel(context.Background())
	l := &Listener{db: db, waker: waker, cfg: cfg, cancel: cancel, joined: cfg.Clock.NewEvent()}
	cfg.Clock.Go(func() {
		defer l.joined.Set()
		l.run(ctx)
	})
	return l
}

// Close ends the listening, and the connection. It may be called more than once.
func (l *Listener) Close() {
	l.cancel()
	_ = l.joined.Wait(context.Background(), clock.NoLimit) // ends soon: its requests are cancelled
}

func (l *Listener) run(ctx context.Context) {
	for ctx.Err() == nil {
		_ = l.listen(ctx) // whatever it is, the answer is a new connection
		_ = l.cfg.Clock.Sleep(ctx, l.cfg.Retry)
	}
}

// listen listens on one connection until it breaks.
func (l *Listener) listen(ctx context.Context) error {
	conn, err := l.db.Conn(ctx)
	if err != nil {
		return err
	}
	return conn.Raw(func(driverConn any) error {
		c, ok := driverConn.(*stdlib.Conn)
		if !ok {
			return fmt.Errorf("pgnotify: the driver is %T, not pgx", driverConn)
		}
		_ = l.receive(ctx, c.Conn())
		// A connection that listens must not go back to the pool.
		return driver.ErrBadConn
	})
}

func (l *Listener) receive(ctx context.Context, c *pgx.Conn) error {
	if _, err := c.Exec(ctx, "LISTEN "+pgx.Identifier{l.cfg.Table}.Sanitize()); err != nil {
		return err
	}
	l.waker.WakeAll() // for what was announced before
	for {
		n, err := c.WaitForNotification(ctx)
		if err != nil {
			return err
		}
		l.waker.Wake(n.Payload)
	}
}
