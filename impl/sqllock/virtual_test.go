package sqllock_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lockstep-sim/lockstep/impl/clock"
	"github.com/lockstep-sim/lockstep/impl/internal/sqltest"
	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/sqllock"
)

// shifted is a clock that a test can set apart from the others.
type shifted struct {
	clock.Clock
	by atomic.Int64
}

func (s *shifted) Now() time.Time { return s.Clock.Now().Add(time.Duration(s.by.Load())) }

func (s *shifted) shift(d time.Duration) { s.by.Store(int64(d)) }

// inVirtualTime runs test with an SQLite whose clock, database, is virtual.
func inVirtualTime(t *testing.T, test func(t *testing.T, w *world, database *shifted)) {
	synctest.Test(t, func(t *testing.T) {
		database := &shifted{Clock: clock.Real()}
		test(t, newWorld(t, sqltest.SQLite(t, database)), database)
	})
}

// after reports that d has passed since start, to the millisecond that the
// table's clock is cut to.
func wantAfter(t *testing.T, what string, start time.Time, d time.Duration) {
	t.Helper()
	if got := time.Since(start); got < d || got > d+2*time.Millisecond {
		t.Errorf("%s after %v, want %v", what, got, d)
	}
}

func TestTheWatchdogRenewsEveryThirdOfTheTTL(t *testing.T) {
	inVirtualTime(t, func(t *testing.T, w *world, _ *shifted) {
		lease := acquire(t, w.mutex(t, sqllock.Config{}))
		w.Tap.Requests()
		time.Sleep(75 * time.Second)
		if n := len(w.Tap.Requests()); n != 7 {
			t.Errorf("%d renewals in 75 s of a 30 s lease, want 7", n)
		}
		_, err := w.mutex(t, sqllock.Config{}).TryAcquire(t.Context(), key)
		wantErr(t, "TryAcquire by another", err, lock.ErrNotAcquired)
		release(t, lease)
	})
}

func TestAFixedLeaseEndsWithItsTime(t *testing.T) {
	inVirtualTime(t, func(t *testing.T, w *world, _ *shifted) {
		start := time.Now()
		a := acquire(t, w.mutex(t, sqllock.Config{}), lock.WithFixedLease(10*time.Second))
		b, err := w.mutex(t, sqllock.Config{PollMin: time.Millisecond, PollMax: time.Millisecond}).Acquire(t.Context(), key)
		if err != nil {
			t.Fatal(err)
		}
		wantAfter(t, "B was granted the lock", start, 10*time.Second)
		wantErr(t, "A's Err", a.Err(), lock.ErrLost)
		wantErr(t, "A's release", a.Release(t.Context()), lock.ErrNotHeld)
		release(t, b)
	})
}

func TestTheLeaseIsCountedFromBeforeTheRequest(t *testing.T) {
	inVirtualTime(t, func(t *testing.T, w *world, _ *shifted) {
		w.Tap.On("INSERT", func(_ context.Context, send func() error) error {
			time.Sleep(2 * time.Second) // on the way there
			return send()
		})
		start := time.Now()
		lease := acquire(t, w.mutex(t, sqllock.Config{TTL: 10 * time.Second, NoRenew: true}))
		<-lease.Done()
		wantAfter(t, "the lease ended", start, 10*time.Second)
		if _, _, left := w.row(t); left != 2*time.Second {
			t.Errorf("the database goes on for %v, want the 2 s that the request was under way", left)
		}
	})
}

func TestAGrantThatArrivesAfterItsLeaseIsGivenBack(t *testing.T) {
	inVirtualTime(t, func(t *testing.T, w *world, _ *shifted) {
		m := w.mutex(t, sqllock.Config{NoRenew: true})
		w.Tap.On("INSERT", func(_ context.Context, send func() error) error {
			defer time.Sleep(time.Minute) // a pause of the process
			return send()
		})
		_, err := m.TryAcquire(t.Context(), key)
		wantErr(t, "TryAcquire", err, lock.ErrNotAcquired)
		release(t, acquire(t, m))
	})
}

func TestRenewalErrorsEndTheLeaseAtItsDeadlineAndNotBefore(t *testing.T) {
	inVirtualTime(t, func(t *testing.T, w *world, _ *shifted) {
		start := time.Now()
		lease := acquire(t, w.mutex(t, sqllock.Config{}))
		for range 100 {
			w.Tap.LoseRequest("UPDATE")
		}
		<-lease.Done()
		wantAfter(t, "the lease ended", start, 30*time.Second)
		wantErr(t, "Err", lease.Err(), lock.ErrLost)
	})
}

func TestReleaseJoinsARenewalUnderWay(t *testing.T) {
	inVirtualTime(t, func(t *testing.T, w *world, _ *shifted) {
		lease := acquire(t, w.mutex(t, sqllock.Config{}))
		w.Tap.On("UPDATE", func(ctx context.Context, send func() error) error {
			<-ctx.Done() // the server does not answer
			return ctx.Err()
		})
		time.Sleep(10*time.Second + time.Millisecond)
		start := time.Now()
		release(t, lease)
		wantAfter(t, "the release returned", start, 0)
		w.Tap.Requests()
		time.Sleep(time.Minute)
		if sent := w.Tap.Requests(); len(sent) != 0 {
			t.Errorf("renewed after the release: %q", sent)
		}
	})
}

func TestAClientsClockDoesNotDecideWhatHasExpired(t *testing.T) {
	for name, by := range map[string]time.Duration{"fast": time.Hour, "slow": -time.Hour} {
		t.Run(name, func(t *testing.T) {
			inVirtualTime(t, func(t *testing.T, w *world, _ *shifted) {
				skewed := &shifted{Clock: clock.Real()}
				skewed.shift(by)
				a := acquire(t, w.mutex(t, sqllock.Config{}))
				b := w.mutex(t, sqllock.Config{Clock: skewed})
				_, err := b.TryAcquire(t.Context(), key)
				wantErr(t, "TryAcquire by the skewed client", err, lock.ErrNotAcquired)
				release(t, a)
				lease := acquire(t, b)
				if _, _, left := w.row(t); left != 30*time.Second {
					t.Errorf("the skewed client's lease lasts %v, want 30 s", left)
				}
				release(t, lease)
			})
		})
	}
}

// What a clock of the database that is set back still costs: the leases that
// are held last longer by as much. Free rows stay free.
func TestADatabaseClockSetBack(t *testing.T) {
	inVirtualTime(t, func(t *testing.T, w *world, database *shifted) {
		m := w.mutex(t, sqllock.Config{PollMin: time.Millisecond, PollMax: time.Millisecond})
		release(t, acquire(t, m))
		database.shift(-time.Hour)
		start := time.Now()
		held := acquire(t, m, lock.WithFixedLease(time.Second)) // the row was free and still is
		database.shift(-time.Hour - 5*time.Second)
		next, err := m.Acquire(t.Context(), key)
		if err != nil {
			t.Fatal(err)
		}
		wantAfter(t, "the next grant", start, 5*time.Second+time.Second)
		release(t, next)
		wantErr(t, "the first lease's Err", held.Err(), lock.ErrLost)
	})
}

// A statement that computed the time and then had to wait must not act on it.
func TestAPauseBeforeTheStatementTakesNothingFromTheNewHolder(t *testing.T) {
	inVirtualTime(t, func(t *testing.T, w *world, _ *shifted) {
		a := acquire(t, w.mutex(t, sqllock.Config{NoRenew: true, TTL: 9 * time.Second}))
		time.Sleep(8 * time.Second)
		var b lock.Lease
		w.Tap.On("UPDATE", func(_ context.Context, send func() error) error {
			time.Sleep(2 * time.Second)
			b = acquire(t, w.mutex(t, sqllock.Config{}))
			return send()
		})
		wantErr(t, "A's renewal", a.(lock.Renewer).Renew(t.Context()), lock.ErrNotHeld)
		if owner, _, _ := w.row(t); owner != b.Owner() {
			t.Errorf("the row belongs to %q, want B's %q", owner, b.Owner())
		}
		release(t, b)
	})
}

func TestWaitersPauseLongerAndLonger(t *testing.T) {
	inVirtualTime(t, func(t *testing.T, w *world, _ *shifted) {
		held := acquire(t, w.mutex(t, sqllock.Config{NoRenew: true, TTL: time.Hour}))
		var sent []time.Duration
		start := time.Now()
		m := w.mutex(t, sqllock.Config{
			PollMin: 10 * time.Millisecond, PollMax: 100 * time.Millisecond,
			Rand: func() float64 {
				sent = append(sent, time.Since(start))
				return 0
			},
		})
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		defer cancel()
		_, err := m.Acquire(ctx, key)
		wantErr(t, "Acquire", err, context.DeadlineExceeded)
		want := []time.Duration{0, 5, 15, 35, 75, 125, 175} // pauses of 5, 10, 20, 40, 50, 50 ms
		for i, at := range want {
			if i >= len(sent) || sent[i] != at*time.Millisecond {
				t.Fatalf("attempts at %v, want %v in ms", sent, want)
			}
		}
		release(t, held)
	})
}
