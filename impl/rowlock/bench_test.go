package rowlock_test

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/lockstep-sim/lockstep/impl/internal/sqltest"
	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/rowlock"
)

// onEachDatabase runs a benchmark on every database that can be had.
func onEachDatabase(b *testing.B, bench func(*testing.B, *world)) {
	b.Run("sqlite", func(b *testing.B) { bench(b, newWorld(b, sqltest.SQLite(b, nil))) })
	b.Run("postgres", func(b *testing.B) { bench(b, newWorld(b, sqltest.Postgres(b))) })
	b.Run("mariadb", func(b *testing.B) { bench(b, newWorld(b, sqltest.MariaDB(b))) })
}

// BenchmarkDeduct takes one from the stock: with the row locked in a
// transaction, and in one statement.
func BenchmarkDeduct(b *testing.B) {
	for name, deduct := range map[string]func(context.Context, *rowlock.Stock) error{
		"for-update": func(ctx context.Context, s *rowlock.Stock) error {
			_, err := s.Deduct(ctx, item, 1, rowlock.NoWait())
			return err
		},
		"one-statement": func(ctx context.Context, s *rowlock.Stock) error { return s.DeductInOne(ctx, item, 1) },
	} {
		b.Run(name, func(b *testing.B) {
			onEachDatabase(b, func(b *testing.B, w *world) {
				s := w.stock(b, math.MaxInt32)
				for b.Loop() {
					if err := deduct(b.Context(), s); err != nil {
						b.Fatal(err)
					}
				}
			})
		})
	}
}

// BenchmarkLockUnlock is an acquire and a release of the two kinds of lock.
func BenchmarkLockUnlock(b *testing.B) {
	lockUnlock := func(b *testing.B, l lock.Locker) {
		for b.Loop() {
			release(b, acquire(b, l))
		}
	}
	b.Run("record", func(b *testing.B) {
		onEachDatabase(b, func(b *testing.B, w *world) { lockUnlock(b, w.record(b, rowlock.RecordConfig{})) })
	})
	b.Run("mutex", func(b *testing.B) {
		onEachDatabase(b, func(b *testing.B, w *world) { lockUnlock(b, w.mutex(b, rowlock.MutexConfig{})) })
	})
}

// BenchmarkEmptyTransaction is what all of them are made in: BEGIN and COMMIT.
func BenchmarkEmptyTransaction(b *testing.B) {
	onEachDatabase(b, func(b *testing.B, w *world) {
		for b.Loop() {
			err := w.rows.InTx(b.Context(), rowlock.NoWait(), func(context.Context, *rowlock.Tx) error { return nil })
			if err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkMutexHandOff measures the time from the call of Release to the return
// of the Acquire that waits for the row, as ns/hand-off. The database hands the
// row over by itself.
func BenchmarkMutexHandOff(b *testing.B) {
	onEachDatabase(b, func(b *testing.B, w *world) {
		m := w.mutex(b, rowlock.MutexConfig{})
		var total time.Duration
		granted := make(chan lock.Lease)
		for b.Loop() {
			lease := acquire(b, m)
			sent := make(chan struct{})
			w.Tap.On("FOR UPDATE", signal(sent))
			go func() {
				next, err := m.Acquire(context.Background(), key)
				if err != nil {
					b.Error(err)
				}
				granted <- next
			}()
			<-sent
			start := time.Now()
			release(b, lease)
			next := <-granted
			total += time.Since(start)
			release(b, next)
		}
		b.ReportMetric(float64(total.Nanoseconds())/float64(b.N), "ns/hand-off")
	})
}
