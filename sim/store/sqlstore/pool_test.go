package sqlstore_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/lockstep-sim/lockstep/sim/kernel"
	"github.com/lockstep-sim/lockstep/sim/store/sqlstore"
)

// pooled runs f as a client that takes its connections out of a pool.
func (w *world) pooled(name string, pool *sqlstore.Pool, f func(p *kernel.Process, db *sql.DB)) {
	p := w.k.NewProcess(name)
	db := w.node.Pooled(p, pool)
	w.dbs = append(w.dbs, db)
	p.Go("main", func() { f(p, db) })
}

// keep holds a connection for a time.
func (w *world) keep(p *kernel.Process, db *sql.DB, d time.Duration) {
	conn, err := db.Conn(bg)
	if err != nil {
		w.t.Error(err)
		return
	}
	w.must(p.Clock().Sleep(bg, d))
	w.must(conn.Close())
}

func TestAPoolServesInOrderOfArrival(t *testing.T) {
	w := newWorld(t, realSQLite)
	pool := sqlstore.NewPool(1)
	var served []string
	for i, name := range []string{"A", "B", "C"} {
		w.pooled(name, pool, func(p *kernel.Process, db *sql.DB) {
			w.must(p.Clock().Sleep(bg, time.Duration(i)*time.Millisecond))
			w.keep(p, db, 10*time.Millisecond)
			served = append(served, fmt.Sprintf("%s at %dms", name, w.k.Now()/kernel.Time(time.Millisecond)))
		})
	}
	w.run()
	if want := []string{"A at 10ms", "B at 20ms", "C at 30ms"}; !slices.Equal(served, want) {
		t.Errorf("served %v, want %v", served, want)
	}
}

func TestWhoGivesUpLeavesTheQueueOfAPool(t *testing.T) {
	w := newWorld(t, realSQLite)
	pool := sqlstore.NewPool(1)
	w.pooled("A", pool, func(p *kernel.Process, db *sql.DB) { w.keep(p, db, 10*time.Millisecond) })
	w.pooled("B", pool, func(p *kernel.Process, db *sql.DB) {
		ctx, cancel := p.Clock().WithTimeout(bg, 5*time.Millisecond)
		defer cancel()
		if _, err := db.Conn(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("B got %v, want that its time is over", err)
		}
	})
	var c time.Duration
	w.pooled("C", pool, func(p *kernel.Process, db *sql.DB) {
		w.must(p.Clock().Sleep(bg, time.Millisecond))
		w.keep(p, db, 0)
		c = time.Duration(w.k.Now())
	})
	w.run()
	if c != 10*time.Millisecond {
		t.Errorf("C was served at %v, want 10ms: nobody is before it any more", c)
	}
}
