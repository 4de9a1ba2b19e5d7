package sqllock_test

import (
	"context"
	"testing"
	"time"

	"github.com/lockstep-sim/lockstep/impl/internal/sqltest"
	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/sqllock"
)

// onEachDatabase runs a benchmark on every database that can be had.
func onEachDatabase(b *testing.B, bench func(*testing.B, *world)) {
	b.Run("sqlite", func(b *testing.B) { bench(b, newWorld(b, sqltest.SQLite(b, nil))) })
	b.Run("postgres", func(b *testing.B) { bench(b, newWorld(b, sqltest.Postgres(b))) })
	b.Run("mariadb", func(b *testing.B) { bench(b, newWorld(b, sqltest.MariaDB(b))) })
}

func BenchmarkLockUnlock(b *testing.B) {
	onEachDatabase(b, func(b *testing.B, w *world) {
		m := w.mutex(b, sqllock.Config{})
		for b.Loop() {
			release(b, acquire(b, m))
		}
	})
}

// BenchmarkTwoUpdates is what lock and unlock are made of: two statements that
// each change one row, found by its key, and commit.
func BenchmarkTwoUpdates(b *testing.B) {
	onEachDatabase(b, func(b *testing.B, w *world) {
		release(b, acquire(b, w.mutex(b, sqllock.Config{})))
		update := w.Dialect.Rewrite("UPDATE "+w.table+" SET token = token + 1 WHERE name = ?", nil)
		for b.Loop() {
			for range 2 {
				if _, err := w.DB.ExecContext(b.Context(), update, key); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
}

// BenchmarkHandOff measures the time from the call of Release to the return of
// the Acquire that waits, as ns/hand-off: for a waiter of the same mutex, which
// is woken, and for one of another process, which polls.
func BenchmarkHandOff(b *testing.B) {
	onEachDatabase(b, func(b *testing.B, w *world) {
		b.Run("same-process", func(b *testing.B) {
			waiting := make(chan struct{}, 1)
			m := w.mutex(b, sqllock.Config{Rand: announce(waiting)})
			handOffs(b, m, m, waiting)
		})
		b.Run("other-process", func(b *testing.B) {
			waiting := make(chan struct{}, 1)
			handOffs(b, w.mutex(b, sqllock.Config{}), w.mutex(b, sqllock.Config{Rand: announce(waiting)}), waiting)
		})
	})
}

// announce is a source of "random" numbers that tells when it is asked for one,
// which is just before a waiter waits.
func announce(waiting chan<- struct{}) func() float64 {
	return func() float64 {
		select {
		case waiting <- struct{}{}:
		default:
		}
		return 0.5
	}
}

func handOffs(b *testing.B, holder, waiter lock.Locker, waiting chan struct{}) {
	var total time.Duration
	granted := make(chan lock.Lease)
	for b.Loop() {
		lease := acquire(b, holder)
		select { // left over from the last round
		case <-waiting:
		default:
		}
		go func() {
			next, err := waiter.Acquire(context.Background(), key)
			if err != nil {
				b.Error(err)
			}
			granted <- next
		}()
		<-waiting
		start := time.Now()
		release(b, lease)
		next := <-granted
		total += time.Since(start)
		release(b, next)
	}
	b.ReportMetric(float64(total.Nanoseconds())/float64(b.N), "ns/hand-off")
}
