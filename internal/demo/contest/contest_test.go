package contest

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/lockstep-sim/lockstep/impl/clock"
	"github.com/lockstep-sim/lockstep/impl/lock"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fake is a lock in memory whose requests take a millisecond. It can be broken.
type fake struct {
	free     chan struct{} // has an element while the lock is free
	broken   bool          // grants the lock to everybody
	ttl      time.Duration // of leases that nothing renews
	mu       sync.Mutex
	err      error // of the next attempts
	held     int
	requests int64
}

const roundTrip = time.Millisecond

func newFake() *fake {
	f := &fake{free: make(chan struct{}, 1)}
	f.free <- struct{}{}
	return f
}

func (f *fake) TryAcquire(context.Context, string, ...lock.Option) (lock.Lease, error) {
	return nil, lock.ErrNotAcquired
}

func (f *fake) Acquire(ctx context.Context, key string, _ ...lock.Option) (lock.Lease, error) {
	if err := f.send(); err != nil {
		return nil, errors.Join(lock.ErrNotAcquired, err)
	}
	if !f.broken {
		select {
		case <-f.free:
		case <-ctx.Done():
			return nil, errors.Join(lock.ErrNotAcquired, ctx.Err())
		}
	}
	f.count(1)
	info := lock.GrantInfo{Key: key}
	if f.ttl > 0 {
		info.Deadline = time.Now().Add(f.ttl)
	}
	return &fakeLease{lock.NewGrant(clock.Real(), info), f}, nil
}

func (f *fake) send() error {
	time.Sleep(roundTrip)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.requests++
	return f.err
}

func (f *fake) count(n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.held += n
}

func (f *fake) traffic() Traffic {
	f.mu.Lock()
	defer f.mu.Unlock()
	return Traffic{Requests: f.requests}
}

type fakeLease struct {
	*lock.Grant
	fake *fake
}

func (l *fakeLease) Release(context.Context) error {
	err := l.fake.send()
	l.fake.count(-1)
	if !l.fake.broken {
		l.fake.free <- struct{}{}
	}
	if !l.End(lock.ErrReleased) {
		return lock.ErrNotHeld
	}
	return err
}

// run is a contest of four workers for a second of virtual time, over a lock
// that change may have broken.
func run(t *testing.T, cfg Config, change func(*fake)) (f *fake, s Snapshot) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		f = newFake()
		change(f)
		cfg.Duration = time.Second
		c := New(cfg, []lock.Locker{f, f, f, f})
		c.Run(t.Context())
		if s = c.Snapshot(); f.held != 0 {
			t.Errorf("%d leases are still held", f.held)
		}
	})
	return f, s
}

func intact(*fake) {}

func broken(f *fake) { f.broken = true }

func TestNoUpdateIsLostUnderALock(t *testing.T) {
	_, s := run(t, Config{}, intact)
	// A turn takes the yield and the request of the release.
	if turn := yield + roundTrip; s.Increments < int64(time.Second/turn)*9/10 {
		t.Errorf("only %d increments", s.Increments)
	}
	if s.Lost() != 0 || s.Value != s.Increments || s.Overlaps != 0 {
		t.Errorf("lost %d, counter %d after %d increments, %d overlaps", s.Lost(), s.Value, s.Increments, s.Overlaps)
	}
	if s.Grants != s.Increments || slices.Min(s.PerWorker) == 0 {
		t.Errorf("%d grants, %v", s.Grants, s.PerWorker)
	}
}

func TestABrokenLockIsCaught(t *testing.T) {
	if _, s := run(t, Config{}, broken); s.Lost() <= 0 || s.Overlaps == 0 {
		t.Errorf("lost %d of %d, %d overlaps", s.Lost(), s.Increments, s.Overlaps)
	}
}

func TestWithoutTheLockUpdatesAreLost(t *testing.T) {
	f, s := run(t, Config{NoLock: true}, intact)
	if s.Lost() <= 0 || f.requests != 0 {
		t.Errorf("lost %d of %d, after %d requests", s.Lost(), s.Increments, f.requests)
	}
}

func TestTheEndOfTheContextEndsTheWorkersAndReleases(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		ctx, cancel := context.WithCancel(t.Context())
		c := New(Config{Duration: time.Hour}, []lock.Locker{f, f, f})
		time.AfterFunc(100*time.Millisecond, cancel)
		start := time.Now()
		c.Run(ctx)
		if took := time.Since(start); took > 110*time.Millisecond || f.held != 0 || len(f.free) != 1 {
			t.Errorf("ended after %v with %d leases held", took, f.held)
		}
		if s := c.Snapshot(); s.Increments == 0 || s.Elapsed < 100*time.Millisecond || s.Elapsed > 110*time.Millisecond {
			t.Errorf("%d increments in %v", s.Increments, s.Elapsed)
		}
	})
}

func TestALeaseThatIsOverIsRespected(t *testing.T) {
	_, s := run(t, Config{}, func(f *fake) { f.ttl = yield / 2 })
	if s.Increments != 0 || s.Grants == 0 || s.Losses != s.Grants {
		t.Errorf("%d increments, %d of %d leases lost", s.Increments, s.Losses, s.Grants)
	}
}

func TestErrorsAreCountedAndTheWorkersGoOn(t *testing.T) {
	failure := errors.New("connection refused")
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.err = failure
		time.AfterFunc(500*time.Millisecond, func() {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.err = nil
		})
		c := New(Config{Duration: time.Second}, []lock.Locker{f})
		c.Run(t.Context())
		s := c.Snapshot()
		if !errors.Is(s.LastErr, failure) || s.Increments == 0 {
			t.Errorf("last error %v, %d increments", s.LastErr, s.Increments)
		}
		// One attempt takes a round trip and a pause.
		if want := int64(500 * time.Millisecond / (roundTrip + pause)); s.Failures < want || s.Failures > want+1 {
			t.Errorf("%d failures, want about %d", s.Failures, want)
		}
	})
}

func TestProbeCountsTheRequestsOfOneLockAndUnlock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		c := New(Config{Duration: time.Second, Traffic: f.traffic}, []lock.Locker{f})
		if err := c.Probe(t.Context()); err != nil {
			t.Fatal(err)
		}
		c.Run(t.Context())
		if s := c.Snapshot(); !s.Counted || s.Alone != 2 || s.Each < 2 || s.Each > 2.1 || f.held != 0 {
			t.Errorf("counted %v: %d alone, %.2f each", s.Counted, s.Alone, s.Each)
		}
		f.err = errors.New("wrong password")
		if err := c.Probe(t.Context()); !errors.Is(err, f.err) {
			t.Errorf("Probe = %v", err)
		}
	})
}

func TestHandOffAndWaitAreMeasured(t *testing.T) {
	_, s := run(t, Config{}, intact)
	// The next worker waits already, so a hand-off takes the release alone.
	if s.HandOffP50 < roundTrip || s.HandOffP50 > roundTrip*17/16 {
		t.Errorf("hand-off p50 %v, want %v", s.HandOffP50, roundTrip)
	}
	// Three others come before.
	if turn := yield + roundTrip; s.WaitP50 < 2*turn || s.WaitP50 > 5*turn || s.WaitP99 < s.WaitP50 {
		t.Errorf("wait p50 %v, p99 %v", s.WaitP50, s.WaitP99)
	}
}

func TestALoneWorkerHandsTheLockToItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		c := New(Config{Duration: time.Second}, []lock.Locker{f})
		c.Run(t.Context())
		if s := c.Snapshot(); s.Kept != s.Grants-1 || s.HandOffP99 != 0 {
			t.Errorf("%d of %d grants to itself, hand-off %v", s.Kept, s.Grants, s.HandOffP99)
		}
	})
}
