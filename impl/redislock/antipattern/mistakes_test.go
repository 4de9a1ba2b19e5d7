package antipattern_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/redislock"
	"github.com/lockstep-sim/lockstep/impl/redislock/antipattern"
)

// Each test below runs one schedule twice: with the mistake, which must show,
// and with redislock.Mutex, on which the same schedule does nothing.

func TestACrashBeforeExpireLeavesALockForEver(t *testing.T) {
	for name, c := range map[string]struct {
		construct maker
		crashAt   string
		ttl       time.Duration
		wantPTTL  time.Duration
		wantEntry bool
	}{
		"SetnxExpire, seconds":      {setnxExpire, "expire", 30 * time.Second, -1, false},
		"SetnxExpire, milliseconds": {setnxExpire, "pexpire", 1500 * time.Millisecond, -1, false},
		"Mutex":                     {mutex, "evalsha", 30 * time.Second, 30 * time.Second, true},
	} {
		t.Run(name, func(t *testing.T) {
			inVirtualTime(t, func(t *testing.T, w *world) {
				a := w.lock(c.construct, redislock.Config{TTL: c.ttl}, crashAt(c.crashAt))
				lease, err := a.TryAcquire(t.Context(), key)
				if (err == nil) != c.wantEntry {
					t.Fatalf("TryAcquire of the one that crashes = %v", err)
				}
				if got := w.pttl(); got != c.wantPTTL {
					t.Errorf("PTTL = %v, want %v", got, c.wantPTTL)
				}
				ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
				defer cancel()
				next, err := w.lock(mutex, redislock.Config{}, nil).Acquire(ctx, key)
				if (err == nil) != c.wantEntry {
					t.Errorf("B after an hour: %v, want entry %v", err, c.wantEntry)
				}
				for _, l := range []lock.Lease{lease, next} {
					if l != nil {
						_ = l.Release(t.Context())
					}
				}
			})
		})
	}
}

func TestADeleteHitsTheSuccessor(t *testing.T) {
	for name, c := range map[string]struct {
		construct maker
		mistake   bool
	}{
		"PlainDelete":   {plainDelete, true},
		"GetThenDelete": {getThenDelete, false}, // its GET comes too late for that
		"Mutex":         {mutex, false},
	} {
		t.Run(name, func(t *testing.T) {
			inVirtualTime(t, func(t *testing.T, w *world) {
				a := w.lock(c.construct, redislock.Config{TTL: 300 * time.Millisecond, NoRenew: true}, nil)
				b := w.lock(mutex, redislock.Config{TTL: 5 * time.Second, NoRenew: true}, nil)
				lease := acquire(t, a)
				pass(350 * time.Millisecond)
				successor := acquire(t, b)
				pass(50 * time.Millisecond)
				// The holder is told in both cases; only the harm differs.
				if err := lease.Release(t.Context()); !errors.Is(err, lock.ErrNotHeld) {
					t.Errorf("Release after the deadline = %v, want ErrNotHeld", err)
				}
				checkSuccessor(t, w, successor, c.mistake)
			})
		})
	}
}

// The holder pauses when the first request of its release has been answered,
// and the lock changes hands meanwhile.
func TestAPauseBetweenGetAndDelHitsTheSuccessor(t *testing.T) {
	for name, c := range map[string]struct {
		construct  maker
		pauseAfter string
		mistake    bool
	}{
		"GetThenDelete": {getThenDelete, "get", true},
		"Mutex":         {mutex, "evalsha", false},
	} {
		t.Run(name, func(t *testing.T) {
			inVirtualTime(t, func(t *testing.T, w *world) {
				b := w.lock(mutex, redislock.Config{TTL: 5 * time.Second, NoRenew: true}, nil)
				var successor lock.Lease
				a := w.lock(c.construct, redislock.Config{TTL: 300 * time.Millisecond, NoRenew: true}, func(name string, send func() error) error {
					err := send()
					if name == c.pauseAfter && successor == nil {
						pass(350 * time.Millisecond)
						successor = acquire(t, b)
					}
					return err
				})
				_ = acquire(t, a).Release(t.Context())
				checkSuccessor(t, w, successor, c.mistake)
			})
		})
	}
}

// checkSuccessor asserts that the successor's lock was deleted, or was not.
func checkSuccessor(t *testing.T, w *world, successor lock.Lease, deleted bool) {
	t.Helper()
	if got := w.owner() == ""; got != deleted {
		t.Errorf("the successor's lock was deleted: %v, want %v", got, deleted)
	}
	third, err := w.lock(mutex, redislock.Config{NoRenew: true}, nil).TryAcquire(t.Context(), key)
	if got := err == nil; got != deleted {
		t.Errorf("a third one gets in beside the successor: %v, want %v", got, deleted)
	}
	if successor.Err() != nil {
		t.Errorf("the successor's lease says %v, want it to believe that it holds the lock", successor.Err())
	}
	for _, l := range []lock.Lease{third, successor} {
		if l != nil {
			_ = l.Release(t.Context())
		}
	}
}

func TestARenewalLengthensTheSuccessor(t *testing.T) {
	for name, c := range map[string]struct {
		construct maker
		want      time.Duration // what is left of B's 2 s after 1.1 s
	}{
		"RenewWithoutOwner": {renewWithoutOwner, 3 * time.Second},
		"Mutex":             {mutex, 900 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			inVirtualTime(t, func(t *testing.T, w *world) {
				a := w.lock(c.construct, redislock.Config{TTL: 3 * time.Second, NoRenew: true}, nil)
				b := w.lock(mutex, redislock.Config{TTL: 2 * time.Second, NoRenew: true}, nil)
				lease := acquire(t, a)
				pass(3 * time.Second)
				successor := acquire(t, b)
				pass(1100 * time.Millisecond)
				if err := lease.(lock.Renewer).Renew(t.Context()); !errors.Is(err, lock.ErrNotHeld) {
					t.Errorf("Renew of the old holder = %v, want ErrNotHeld", err)
				}
				if got := w.pttl(); got != c.want || w.owner() != successor.Owner() {
					t.Errorf("the successor has %v left, owner %q; want %v", got, w.owner(), c.want)
				}
				if err := successor.Release(t.Context()); err != nil {
					t.Errorf("Release of the successor = %v", err)
				}
			})
		})
	}
}

func TestAWatchdogThatOutlivesItsLeaseKeepsTheDeadAlive(t *testing.T) {
	for name, c := range map[string]struct {
		construct maker
		wantFree  bool
	}{
		"UnstoppedWatchdog": {unstoppedWatchdog, false},
		"Mutex":             {mutex, true},
	} {
		t.Run(name, func(t *testing.T) {
			inVirtualTime(t, func(t *testing.T, w *world) {
				process := w.client(nil)
				a, err := c.construct(process, redislock.Config{})
				if err != nil {
					t.Fatal(err)
				}
				if err := acquire(t, a).Release(t.Context()); err != nil {
					t.Fatalf("Release = %v", err)
				}
				dead := acquire(t, w.lock(mutex, redislock.Config{NoRenew: true}, nil)) // B crashes
				pass(time.Hour)
				if !errors.Is(dead.Err(), lock.ErrLost) {
					t.Errorf("the lease of the dead says %v", dead.Err())
				}
				if free := w.owner() == ""; free != c.wantFree {
					t.Errorf("free after an hour: %v, want %v", free, c.wantFree)
				}
				endProcess(process)
				pass(30 * time.Second)
				if w.owner() != "" {
					t.Error("the lock outlives even the process that renewed it")
				}
			})
		})
	}
}

// endProcess ends what lives as long as the process: closing its client makes
// the forgotten watchdog fail, and it looks once more within one period.
func endProcess(rdb *redis.Client) {
	_ = rdb.Close()
	pass(10 * time.Second)
}

func TestATokenReadLaterIsTheSuccessors(t *testing.T) {
	for name, c := range map[string]struct {
		construct maker
		mistake   bool
	}{
		"TokenReadLater": {tokenReadLater, true},
		"Mutex":          {mutex, false},
	} {
		t.Run(name, func(t *testing.T) {
			inVirtualTime(t, func(t *testing.T, w *world) {
				cfg := redislock.Config{TTL: time.Second, NoRenew: true, Fencing: true}
				a := acquire(t, w.lock(c.construct, cfg, nil))
				pass(2 * time.Second) // A is paused, its lease ends
				b := acquire(t, w.lock(mutex, cfg, nil))
				if late, ok := a.(*antipattern.LateLease); ok {
					if err := late.ReadToken(t.Context()); err != nil {
						t.Fatal(err)
					}
				}
				ta, _ := a.Token()
				tb, _ := b.Token()
				if same := ta == tb; same != c.mistake {
					t.Errorf("tokens %d of A and %d of its successor, want the same: %v", ta, tb, c.mistake)
				}
				_ = a.Release(t.Context())
				_ = b.Release(t.Context())
			})
		})
	}
}
