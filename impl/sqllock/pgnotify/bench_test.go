package pgnotify_test

import (
	"context"
	"testing"
	"time"

	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/sqllock"
	"github.com/lockstep-sim/lockstep/impl/sqllock/dialect"
	"github.com/lockstep-sim/lockstep/impl/sqllock/pgnotify"
	"github.com/lockstep-sim/lockstep/internal/realserver"
)

// BenchmarkHandOff measures the time from the call of Release to the return of
// the Acquire that waits in another process, as ns/hand-off. Compare with
// BenchmarkHandOff/postgres/other-process of package sqllock, which polls.
func BenchmarkHandOff(b *testing.B) {
	db := openDB(b, realserver.Postgres(b).DSN())
	holder := mutex(b, db)
	waiting := make(chan struct{}, 1)
	m, err := sqllock.New(db, sqllock.Config{
		Dialect: dialect.Postgres(), Notify: true, PollMin: never, PollMax: never,
		Rand: func() float64 { // asked just before a waiter waits
			select {
			case waiting <- struct{}{}:
			default:
			}
			return 0
		},
	})
	if err != nil {
		b.Fatal(err)
	}
	waiter := spy{m, make(chan struct{}, 16)}
	listener := pgnotify.Listen(db, waiter, pgnotify.Config{})
	defer listener.Close()
	<-waiter.caughtUp

	var total time.Duration
	granted := make(chan lock.Lease)
	for b.Loop() {
		lease, err := holder.Acquire(b.Context(), key)
		if err != nil {
			b.Fatal(err)
		}
		select { // left over from the last round
		case <-waiting:
		default:
		}
		go func() {
			next, err := m.Acquire(context.Background(), key)
			if err != nil {
				b.Error(err)
			}
			granted <- next
		}()
		<-waiting
		start := time.Now()
		if err := lease.Release(b.Context()); err != nil {
			b.Fatal(err)
		}
		next := <-granted
		total += time.Since(start)
		if err := next.Release(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(total.Nanoseconds())/float64(b.N), "ns/hand-off")
}
