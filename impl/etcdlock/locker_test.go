package etcdlock_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"github.com/lockstep-sim/lockstep/impl/etcdlock"
	"github.com/lockstep-sim/lockstep/impl/lock"
)

func TestSecondGrantFollowsTheRelease(t *testing.T) {
	w := newWorld(t)
	a := w.acquire(w.locker(etcdlock.Config{}), "k")
	waiting := w.enqueue(t.Context(), w.locker(etcdlock.Config{}), "k")
	select {
	case r := <-waiting:
		t.Fatalf("granted twice: %v", r)
	default:
	}
	w.release(a)
	got := within(t, 5*time.Second, "the grant of the waiter", waiting)
	if got.err != nil {
		t.Fatal(got.err)
	}
	first, _ := a.Token()
	second, ok := got.lease.Token()
	if !ok || second <= first {
		t.Errorf("tokens %d, then %d (%v): they must grow", first, second, ok)
	}
	if !errors.Is(a.Err(), lock.ErrReleased) || got.lease.Err() != nil {
		t.Errorf("released lease says %v, the new one %v", a.Err(), got.lease.Err())
	}
}

func TestTokensGrowOverFullReleases(t *testing.T) {
	w := newWorld(t)
	l := w.locker(etcdlock.Config{})
	var last lock.Token
	for range 5 {
		lease := w.acquire(l, "k")
		token, _ := lease.Token()
		if token <= last {
			t.Fatalf("token %d after %d", token, last)
		}
		last = token
		w.release(lease)
	}
}

func TestGoroutinesOfOneLockerExcludeEachOther(t *testing.T) {
	w := newWorld(t)
	exclude(t, []*etcdlock.Locker{w.locker(etcdlock.Config{})}, 8, 20)
}

func TestLockersExcludeEachOther(t *testing.T) {
	w := newWorld(t)
	exclude(t, []*etcdlock.Locker{
		w.locker(etcdlock.Config{}), w.locker(etcdlock.Config{}), w.locker(etcdlock.Config{}),
	}, 2, 20)
	if left := w.keys(""); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

// exclude has workers increment a counter that nothing but the lock protects.
func exclude(t *testing.T, lockers []*etcdlock.Locker, workersEach, rounds int) {
	t.Helper()
	var counter, holders int
	var last lock.Token
	var wg sync.WaitGroup
	for _, l := range lockers {
		for range workersEach {
			wg.Go(func() {
				for range rounds {
					lease, err := l.Acquire(t.Context(), "k")
					if err != nil {
						t.Error(err)
						return
					}
					holders++
					if token, _ := lease.Token(); holders != 1 || token <= last {
						t.Errorf("%d holders, token %d after %d", holders, token, last)
					} else {
						last = token
					}
					counter++
					holders--
					if err := lease.Release(t.Context()); err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
	wg.Wait()
	if want := len(lockers) * workersEach * rounds; counter != want {
		t.Errorf("counter is %d after %d increments", counter, want)
	}
}

func TestRequestsPerLockAndUnlock(t *testing.T) {
	w := newWorld(t)
	wire := newWire()
	l := w.locker(etcdlock.Config{TTL: time.Minute}, wire.options()...)
	w.release(w.acquire(l, "opens the session"))

	wire.reset()
	lease := w.acquire(l, "k")
	if n := wire.total(); n != 1 {
		t.Errorf("an uncontended Acquire took %d requests %v, want 1", n, wire.counts)
	}
	wire.reset()
	w.release(lease)
	if n := wire.total(); n != 1 {
		t.Errorf("a Release took %d requests %v, want 1", n, wire.counts)
	}
	wire.reset()
	lease2, err := l.TryAcquire(t.Context(), "k")
	if n := wire.total(); err != nil || n != 1 {
		t.Errorf("a TryAcquire took %d requests %v (%v), want 1", n, wire.counts, err)
	}
	wire.reset()
	if _, err := l.TryAcquire(t.Context(), "k"); !errors.Is(err, lock.ErrNotAcquired) {
		t.Errorf("TryAcquire of a held lock = %v", err)
	}
	if n := wire.total(); n != 1 {
		t.Errorf("a refused TryAcquire took %d requests %v, want 1", n, wire.counts)
	}
	w.release(lease2)
}

// After the release the waiter asks once whether it is its turn: with the event
// of the watch, the hand-off takes two round trips.
func TestAHandOffTakesOneRequestOnEitherSide(t *testing.T) {
	w := newWorld(t)
	holding, waiting := newWire(), newWire()
	a := w.acquire(w.locker(etcdlock.Config{TTL: time.Minute}, holding.options()...), "k")
	b := w.enqueue(t.Context(), w.locker(etcdlock.Config{TTL: time.Minute}, waiting.options()...), "k")
	w.eventually("session, entry, watch and second look", func() bool { return waiting.total() == 4 })
	holding.reset()
	waiting.reset()
	w.release(a)
	if got := within(t, 5*time.Second, "the grant", b); got.err != nil {
		t.Fatal(got.err)
	}
	if h, n := holding.total(), waiting.total(); h != 1 || n != 1 {
		t.Errorf("a hand-off took %d requests %v of the holder and %d %v of the waiter, want 1 each",
			h, holding.counts, n, waiting.counts)
	}
}

func TestGoroutinesThatComeAtOnceShareOneSession(t *testing.T) {
	w := newWorld(t)
	l := w.locker(etcdlock.Config{})
	var wg sync.WaitGroup
	for i := range 10 {
		wg.Go(func() {
			if _, err := l.Acquire(t.Context(), fmt.Sprint("k", i)); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if got := w.leases(); len(got) != 1 {
		t.Errorf("%d sessions were opened, want 1", len(got))
	}
}

func TestTryAcquireLeavesNoTraceWhenRefused(t *testing.T) {
	w := newWorld(t)
	a := w.acquire(w.locker(etcdlock.Config{}), "k")
	_, err := w.locker(etcdlock.Config{}).TryAcquire(t.Context(), "k")
	if !errors.Is(err, lock.ErrNotAcquired) {
		t.Fatalf("TryAcquire of a held lock = %v", err)
	}
	if got := w.keys("k/"); len(got) != 1 || got[0] != a.EntryKey() {
		t.Errorf("queue holds %v, want the holder's key only", got)
	}
}

func TestWaitersAreServedInTheirOrder(t *testing.T) {
	w := newWorld(t)
	l := w.locker(etcdlock.Config{})
	a := w.acquire(l, "k")
	var waiting []<-chan result
	for range 5 {
		waiting = append(waiting, w.enqueue(t.Context(), l, "k"))
	}
	w.release(a)
	for i, c := range waiting {
		got := within(t, 5*time.Second, "the next in the queue", c)
		if got.err != nil {
			t.Fatal(got.err)
		}
		for j, later := range waiting[i+1:] {
			if len(later) > 0 {
				t.Fatalf("waiter %d was granted the lock before waiter %d released it", i+1+j, i)
			}
		}
		w.release(got.lease)
	}
}

func TestAWaiterThatGivesUpLetsTheNextProceed(t *testing.T) {
	w := newWorld(t)
	l := w.locker(etcdlock.Config{})
	a := w.acquire(l, "k")
	ctx, cancel := context.WithCancel(t.Context())
	b := w.enqueue(ctx, l, "k")
	c := w.enqueue(t.Context(), w.locker(etcdlock.Config{}), "k")
	cancel()
	got := within(t, 5*time.Second, "the end of the cancelled wait", b)
	if !errors.Is(got.err, lock.ErrNotAcquired) || !errors.Is(got.err, context.Canceled) {
		t.Errorf("cancelled Acquire = %v, want ErrNotAcquired and context.Canceled", got.err)
	}
	if keys := w.keys("k/"); len(keys) != 2 {
		t.Errorf("queue after one gave up: %v, want two keys", keys)
	}
	w.release(a)
	if got := within(t, 5*time.Second, "the grant of the last waiter", c); got.err != nil {
		t.Error(got.err)
	}
}

func TestAcquireUnderAnEndedContextAsksNothing(t *testing.T) {
	w := newWorld(t)
	wire := newWire()
	l := w.locker(etcdlock.Config{}, wire.options()...)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := l.Acquire(ctx, "k")
	if !errors.Is(err, context.Canceled) || !errors.Is(err, lock.ErrNotAcquired) {
		t.Errorf("Acquire = %v", err)
	}
	if n := wire.total(); n != 0 {
		t.Errorf("%d requests were sent", n)
	}
}

func TestStrayKeysBlockNobody(t *testing.T) {
	w := newWorld(t)
	grant, err := w.client.Grant(t.Context(), 60)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 4 { // enough to fill a limited read
		if _, err := w.client.Put(t.Context(), fmt.Sprintf("k/stray%d", i), ""); err != nil {
			t.Fatal(err)
		}
		key := fmt.Sprintf("k/leased%d", i)
		if _, err := w.client.Put(t.Context(), key, "", clientv3.WithLease(grant.ID)); err != nil {
			t.Fatal(err)
		}
	}
	l := w.locker(etcdlock.Config{})
	nested := w.acquire(l, "k/other")
	a := w.acquire(l, "k")
	w.release(a)
	b, err := l.TryAcquire(t.Context(), "k")
	if err != nil {
		t.Fatalf("TryAcquire among stray keys = %v", err)
	}
	if _, err := l.TryAcquire(t.Context(), "k"); !errors.Is(err, lock.ErrNotAcquired) {
		t.Errorf("stray keys hide the holder: TryAcquire = %v", err)
	}
	c := w.enqueue(t.Context(), l, "k")
	w.release(b)
	got := within(t, 5*time.Second, "the grant among stray keys", c)
	if got.err != nil {
		t.Fatal(got.err)
	}
	w.release(got.lease)
	w.release(nested)
	if left := w.keys("k/"); len(left) != 8 {
		t.Errorf("left under the prefix: %v, want the eight stray keys", left)
	}
}

func TestRefusesBadRequestsAtOnce(t *testing.T) {
	w := newWorld(t)
	wire := newWire()
	l := w.locker(etcdlock.Config{}, wire.options()...)
	for name, tc := range map[string]struct {
		key  string
		opts []lock.Option
		says string
	}{
		"empty key":          {"", nil, "empty"},
		"over-long key":      {strings.Repeat("k", etcdlock.MaxKey+1), nil, "1025 bytes"},
		"negative TTL":       {"k", []lock.Option{lock.WithTTL(-time.Second)}, "-1s"},
		"TTL below a second": {"k", []lock.Option{lock.WithTTL(time.Millisecond)}, "at least 1s"},
		"broken second":      {"k", []lock.Option{lock.WithTTL(1500 * time.Millisecond)}, "whole seconds"},
		"fixed lease of 0":   {"k", []lock.Option{lock.WithFixedLease(0)}, "fixed lease of 0s"},
		"chosen owner":       {"k", []lock.Option{lock.WithOwner("me")}, "not reentrant"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := l.Acquire(t.Context(), tc.key, tc.opts...)
			if !errors.Is(err, lock.ErrInvalid) || !strings.Contains(err.Error(), tc.says) {
				t.Errorf("Acquire = %v, want ErrInvalid that says %q", err, tc.says)
			}
			if _, err := l.TryAcquire(t.Context(), tc.key, tc.opts...); !errors.Is(err, lock.ErrInvalid) {
				t.Errorf("TryAcquire = %v, want ErrInvalid", err)
			}
		})
	}
	if n := wire.total(); n != 0 {
		t.Errorf("%d requests were sent", n)
	}
}

func TestRefusesABadConfiguration(t *testing.T) {
	client, err := clientv3.New(clientv3.Config{Endpoints: []string{"127.0.0.1:1"}, Logger: zap.NewNop()})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	for _, cfg := range []etcdlock.Config{
		{TTL: -time.Second}, {TTL: time.Millisecond}, {TTL: 2500 * time.Millisecond}, {RequestTimeout: -1},
		{TTL: time.Second, RequestTimeout: time.Second},
	} {
		if _, err := etcdlock.New(client, cfg); !errors.Is(err, lock.ErrInvalid) {
			t.Errorf("New with %+v = %v, want ErrInvalid", cfg, err)
		}
	}
	if _, err := etcdlock.New(nil, etcdlock.Config{}); !errors.Is(err, lock.ErrInvalid) {
		t.Errorf("New without a client = %v, want ErrInvalid", err)
	}
}

func TestAnUnreachableServerIsReportedInTime(t *testing.T) {
	client, err := clientv3.New(clientv3.Config{Endpoints: []string{"127.0.0.1:1"}, Logger: zap.NewNop()})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	l, err := etcdlock.New(client, etcdlock.Config{RequestTimeout: 200 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	_, err = l.Acquire(t.Context(), "k")
	if took := time.Since(begun); took > 3*time.Second {
		t.Errorf("it took %v", took)
	}
	if !errors.Is(err, lock.ErrNotAcquired) || !strings.Contains(err.Error(), "refused") {
		t.Errorf("Acquire = %v, want ErrNotAcquired with the reason", err)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Acquire = %v: the caller's context had no deadline", err)
	}
	if strings.Contains(err.Error(), "\n") {
		t.Errorf("the error has several lines: %q", err)
	}
	if err := l.Close(); err != nil {
		t.Errorf("Close = %v", err)
	}
}
