package antipattern_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/lockstep-sim/lockstep/impl/etcdlock"
	"github.com/lockstep-sim/lockstep/impl/etcdlock/antipattern"
	"github.com/lockstep-sim/lockstep/impl/lock"
)

func TestHerdWatchWakesEveryWaiterAtARelease(t *testing.T) {
	const waiters = 5
	for _, tc := range []struct {
		name  string
		kind  maker
		looks int32
		wakes int
	}{
		{"HerdWatch", herdWatch, 2, waiters},
		{"etcdlock", correct, 2, 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(t)
			holder, _ := w.lock(tc.kind, etcdlock.Config{})
			held := w.acquire(holder)
			var spies []*spy
			var waiting []<-chan result
			for range waiters {
				l, s := w.lock(tc.kind, etcdlock.Config{})
				waiting = append(waiting, w.wait(l, s, tc.looks))
				spies = append(spies, s)
			}
			woken := func() (n int) {
				for _, s := range spies {
					if s.txns.Load() > tc.looks {
						n++
					}
				}
				return n
			}
			w.release(held)
			w.eventually("the wake-ups", func() bool { return woken() >= tc.wakes })
			// The others must not have been woken by the grant of one.
			first := firstOf(t, waiting)
			if got := woken(); got != tc.wakes {
				t.Errorf("%d of %d waiters woke at one release, want %d", got, waiters, tc.wakes)
			}
			w.release(first)
			for range waiters - 1 {
				w.release(firstOf(t, waiting))
			}
		})
	}
}

// firstOf returns the first lease that any of the waiters is granted.
func firstOf(t *testing.T, waiting []<-chan result) lock.Lease {
	t.Helper()
	patience := time.After(20 * time.Second)
	for tick := time.Tick(time.Millisecond); ; {
		for _, c := range waiting {
			select {
			case r := <-c:
				if r.err != nil {
					t.Fatal(r.err)
				}
				return r.lease
			default:
			}
		}
		select {
		case <-tick:
		case <-patience:
			t.Fatal("no waiter was granted the lock")
		}
	}
}

func TestWatchGapWaitsForALockThatIsFree(t *testing.T) {
	for _, tc := range []struct {
		name  string
		kind  maker
		stuck bool
	}{
		{"WatchGap", watchGap, true},
		{"WatchPast", watchPast, false},
		{"HerdWatch", herdWatch, false},
		{"etcdlock", correct, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(t)
			holder, _ := w.lock(tc.kind, etcdlock.Config{})
			held := w.acquire(holder)
			waiter, s := w.lock(tc.kind, etcdlock.Config{})
			s.beforeWatch = func() { w.release(held) }
			wait := 10 * time.Second
			if tc.stuck {
				wait = 300 * time.Millisecond
			}
			ctx, cancel := context.WithTimeout(t.Context(), wait)
			defer cancel()
			lease, err := waiter.Acquire(ctx, key)
			if stuck := errors.Is(err, context.DeadlineExceeded); stuck != tc.stuck {
				t.Fatalf("Acquire = %v, want stuck %v", err, tc.stuck)
			}
			if !tc.stuck {
				w.release(lease)
			}
		})
	}
}

func TestGrantedWithoutKeyLetsTwoIn(t *testing.T) {
	for _, tc := range []struct {
		name   string
		kind   maker
		looks  int32
		broken bool
	}{
		{"GrantedWithoutKey", grantedWithoutKey, 3, true},
		{"etcdlock", correct, 2, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(t)
			first, _ := w.lock(tc.kind, etcdlock.Config{})
			held := w.acquire(first)
			before := w.keys()
			second, s := w.lock(tc.kind, etcdlock.Config{})
			waiting := w.wait(second, s, tc.looks)
			w.expire(before)
			w.release(held)
			got := <-waiting
			if !tc.broken {
				if !errors.Is(got.err, lock.ErrSessionExpired) {
					t.Errorf("Acquire = %v, want ErrSessionExpired", got.err)
				}
				return
			}
			if got.err != nil || got.lease.Err() != nil {
				t.Fatalf("Acquire = %v; the mistake is to grant it", got.err)
			}
			if keys := w.keys(); len(keys) != 0 {
				t.Errorf("keys %v; the mistake is that there is none", keys)
			}
			third, _ := w.lock(tc.kind, etcdlock.Config{})
			other := w.acquire(third)
			if got.lease.Err() != nil || other.Err() != nil {
				t.Error("two clients were to believe in the lock at once")
			}
			if err := got.lease.Release(t.Context()); !errors.Is(err, lock.ErrNotHeld) {
				t.Errorf("Release without a key = %v, want ErrNotHeld", err)
			}
			w.release(other)
		})
	}
}

func TestUnconditionalDeleteFreesTheSuccessorsLock(t *testing.T) {
	for _, tc := range []struct {
		name   string
		kind   maker
		broken bool
	}{
		{"UnconditionalDelete", unconditionalDelete, true},
		{"HerdWatch", herdWatch, false},
		{"etcdlock", correct, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(t)
			l, _ := w.lock(tc.kind, etcdlock.Config{})
			a := w.acquire(l)
			w.expire(nil)
			second, _ := w.lock(tc.kind, etcdlock.Config{})
			b := w.acquire(second)
			err := a.Release(t.Context())
			if notHeld := errors.Is(err, lock.ErrNotHeld); notHeld == tc.broken {
				t.Errorf("Release of a lapsed lease = %v", err)
			}
			third, _ := w.lock(tc.kind, etcdlock.Config{})
			c, err := third.TryAcquire(t.Context(), key)
			if got := err == nil; got != tc.broken {
				t.Fatalf("a third client beside the second: %v", err)
			}
			if tc.broken {
				if b.Err() != nil || c.Err() != nil {
					t.Error("two clients were to believe in the lock at once")
				}
				_ = c.Release(t.Context())
			}
			_ = b.Release(t.Context())
		})
	}
}

func TestIgnoreKeepAliveGoesOnWithoutALease(t *testing.T) {
	for _, tc := range []struct {
		name   string
		kind   maker
		broken bool
	}{
		{"IgnoreKeepAlive", ignoreKeepAlive, true},
		{"HerdWatch", herdWatch, false},
		{"etcdlock", correct, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(t)
			l, s := w.lock(tc.kind, etcdlock.Config{TTL: time.Second})
			a := w.acquire(l)
			w.expire(nil)
			b := w.acquire(l)
			sent := s.keepAlives.Load()
			w.eventually("two more keep-alives", func() bool { return s.keepAlives.Load() >= sent+2 || a.Err() != nil })
			if goesOn := a.Err() == nil; goesOn != tc.broken {
				t.Errorf("two keep-alives later the lapsed lease says %v", a.Err())
			}
			if b.Err() != nil {
				t.Errorf("the successor's lease says %v", b.Err())
			}
			_ = a.Release(t.Context())
			w.release(b)
		})
	}
}

func TestPlainPutWritesWithoutTheLock(t *testing.T) {
	w := newWorld(t)
	l, s := w.lock(correct, etcdlock.Config{})
	a := w.acquire(l)
	w.expire(nil)
	if err := etcdlock.GuardedPut(t.Context(), a, "report", "1"); !errors.Is(err, lock.ErrNotHeld) {
		t.Errorf("GuardedPut = %v", err)
	}
	if err := antipattern.PlainPut(t.Context(), s, "report", "1"); err != nil {
		t.Errorf("PlainPut = %v; the mistake is to write", err)
	}
}

func TestWatchPastNeedsWatchesFromThePast(t *testing.T) {
	w := newWorld(t)
	var onlyNow struct{ etcdlock.Store }
	onlyNow.Store = etcdlock.NewStore(w.client)
	if _, err := antipattern.NewWatchPast(onlyNow, etcdlock.Config{}); !errors.Is(err, lock.ErrInvalid) {
		t.Errorf("NewWatchPast = %v", err)
	}
}
