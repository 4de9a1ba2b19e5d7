package antipattern_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/lockstep-sim/lockstep/impl/internal/sqltest"
	"github.com/lockstep-sim/lockstep/impl/likes"
	"github.com/lockstep-sim/lockstep/impl/likes/antipattern"
	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/rowlock"
	"github.com/lockstep-sim/lockstep/impl/sqllock"
	"github.com/lockstep-sim/lockstep/impl/sqllock/dialect"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var press = likes.Like{Post: 1, Person: "ann"}

// order is a way to put the lock and the transaction together.
type order func(context.Context, *likes.Service, lock.Locker, string, likes.Like) error

func outside(ctx context.Context, s *likes.Service, l lock.Locker, key string, p likes.Like) error {
	return s.LikeLocked(ctx, l, key, p)
}

// world is one database with the service and the lock in it.
type world struct {
	sqltest.Backend
	service *likes.Service
	locker  *sqllock.Mutex
}

// TestEachDatabase leaves SQLite out: only one of its transactions can write at a
// time, so that a lock has nothing to do there.
func TestEachDatabase(t *testing.T) {
	for name, open := range map[string]func(testing.TB) sqltest.Backend{
		"postgres": sqltest.Postgres, "mariadb": sqltest.MariaDB,
	} {
		t.Run(name, func(t *testing.T) {
			b := open(t)
			t.Run("released inside", func(t *testing.T) { inTheGap(t, newWorld(t, b), antipattern.ReleaseInside) })
			t.Run("declarative", func(t *testing.T) { inTheGap(t, newWorld(t, b), antipattern.Declarative) })
			t.Run("early snapshot", func(t *testing.T) {
				// The databases' defaults: only InnoDB's is repeatable read.
				want := int64(1)
				if b.Kind() == dialect.KindMySQL {
					want = 2
				}
				waiting(t, newWorld(t, b), antipattern.EarlySnapshot, want)
			})
			t.Run("lock outside", func(t *testing.T) { waiting(t, newWorld(t, b), outside, 1) })
		})
	}
}

func newWorld(t *testing.T, b sqltest.Backend) *world {
	t.Helper()
	for _, table := range []string{"likes", sqllock.DefaultTable} {
		b.Exec(t, "DROP TABLE IF EXISTS "+table)
	}
	rows, err := rowlock.New(b.DB, rowlock.Config{Dialect: b.Dialect})
	if err != nil {
		t.Fatal(err)
	}
	w := &world{Backend: b}
	if w.service, err = likes.New(rows, likes.None); err == nil {
		err = w.service.CreateSchema(t.Context())
	}
	if err == nil {
		w.locker, err = sqllock.New(b.DB, sqllock.Config{Dialect: b.Dialect})
	}
	if err == nil {
		err = w.locker.CreateSchema(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *world) like(t *testing.T, how order) error {
	return how(t.Context(), w.service, w.locker, "like:1:ann", press)
}

func (w *world) wantTimes(t *testing.T, want int64) {
	t.Helper()
	if got, err := w.service.Times(t.Context(), press.Post, press.Person); err != nil || got != want {
		t.Errorf("counted %d times, %v; want %d", got, err, want)
	}
}

// inTheGap lets the second press come when the first is about to commit.
func inTheGap(t *testing.T, w *world, how order) {
	w.Tap.On("COMMIT", func(_ context.Context, send func() error) error {
		if err := w.like(t, how); err != nil {
			t.Errorf("the second press: %v; the mistake lets it in", err)
		}
		return send()
	})
	if err := w.like(t, how); err != nil {
		t.Errorf("the first press: %v", err)
	}
	w.wantTimes(t, 2)
}

// waiting lets the second press begin when the first is about to commit, and wait
// for the lock until it has.
func waiting(t *testing.T, w *world, how order, want int64) {
	var second sync.WaitGroup
	var outcome error
	w.Tap.On("COMMIT", func(_ context.Context, send func() error) error {
		refused := make(chan struct{})
		w.Tap.On("INSERT INTO "+sqllock.DefaultTable, func(_ context.Context, send func() error) error {
			defer close(refused)
			return send()
		})
		second.Go(func() { outcome = w.like(t, how) })
		<-refused
		return send()
	})
	if err := w.like(t, how); err != nil {
		t.Errorf("the first press: %v", err)
	}
	second.Wait()
	if already := errors.Is(outcome, likes.ErrAlready); already != (want == 1) {
		t.Errorf("the second press: %v", outcome)
	}
	w.wantTimes(t, want)
}
