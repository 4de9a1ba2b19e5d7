package antipattern_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"

	"go.uber.org/goleak"

	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/lock/antipattern"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const key = "item:1"

func acquire(t *testing.T, l lock.Locker) lock.Lease {
	t.Helper()
	lease, err := l.Acquire(t.Context(), key)
	if err != nil {
		t.Fatalf("Acquire = %v", err)
	}
	return lease
}

func TestWithinOneProcessItExcludes(t *testing.T) {
	m := antipattern.NewLocalMutex(nil)
	stock, inside := 0, 0
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 50 {
				lease, err := m.Acquire(context.Background(), key)
				if err != nil {
					t.Errorf("Acquire = %v", err)
					return
				}
				inside++
				if inside != 1 {
					t.Errorf("%d holders at once", inside)
				}
				stock++
				inside--
				if err := lease.Release(context.Background()); err != nil {
					t.Errorf("Release = %v", err)
				}
			}
		})
	}
	wg.Wait()
	if stock != 8*50 {
		t.Errorf("stock = %d, want %d", stock, 8*50)
	}
}

// The mistake: two instances of the service sell the same item.
func TestTwoInstancesBothHoldTheLock(t *testing.T) {
	a, b := antipattern.NewLocalMutex(nil), antipattern.NewLocalMutex(nil)
	first := acquire(t, a)
	second, err := b.TryAcquire(t.Context(), key)
	if err != nil || first.Err() != nil {
		t.Fatalf("second instance: %v; first: %v; want both to hold it", err, first.Err())
	}
	if second.Key() != first.Key() {
		t.Errorf("keys %q and %q", first.Key(), second.Key())
	}
}

func TestAHeldLockIsRefusedAndOthersAreFree(t *testing.T) {
	m := antipattern.NewLocalMutex(nil)
	lease := acquire(t, m)
	if _, err := m.TryAcquire(t.Context(), key); !errors.Is(err, lock.ErrNotAcquired) {
		t.Errorf("TryAcquire of a held lock = %v, want ErrNotAcquired", err)
	}
	if _, err := m.TryAcquire(t.Context(), "item:2"); err != nil {
		t.Errorf("TryAcquire of another = %v", err)
	}
	if err := lease.Release(t.Context()); err != nil {
		t.Errorf("Release = %v", err)
	}
	if err := lease.Release(t.Context()); !errors.Is(err, lock.ErrNotHeld) {
		t.Errorf("second Release = %v, want ErrNotHeld", err)
	}
	if next := acquire(t, m); next.Owner() == lease.Owner() {
		t.Errorf("two grants have one owner %q", next.Owner())
	}
}

func TestAWaiterThatGivesUpDoesNotBlockTheNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := antipattern.NewLocalMutex(nil)
		lease := acquire(t, m)
		ctx, cancel := context.WithCancel(t.Context())
		gaveUp := make(chan error)
		go func() { _, err := m.Acquire(ctx, key); gaveUp <- err }()
		synctest.Wait()
		next := make(chan lock.Lease)
		go func() { next <- acquire(t, m) }()
		synctest.Wait()
		cancel()
		if err := <-gaveUp; !errors.Is(err, lock.ErrNotAcquired) || !errors.Is(err, context.Canceled) {
			t.Errorf("Acquire = %v, want ErrNotAcquired and context.Canceled", err)
		}
		if err := lease.Release(t.Context()); err != nil {
			t.Errorf("Release = %v", err)
		}
		if got := <-next; got.Err() != nil {
			t.Errorf("the next lease says %v", got.Err())
		}
	})
}

func TestWhatCannotWorkIsRefused(t *testing.T) {
	m := antipattern.NewLocalMutex(nil)
	if _, err := m.Acquire(t.Context(), ""); !errors.Is(err, lock.ErrInvalid) {
		t.Errorf("empty key: %v, want ErrInvalid", err)
	}
	if _, err := m.TryAcquire(t.Context(), key, lock.WithOwner("me")); !errors.Is(err, lock.ErrInvalid) {
		t.Errorf("owner: %v, want ErrInvalid", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := m.Acquire(ctx, key); !errors.Is(err, lock.ErrNotAcquired) || !errors.Is(err, context.Canceled) {
		t.Errorf("ended context: %v, want ErrNotAcquired and context.Canceled", err)
	}
	if _, err := m.TryAcquire(t.Context(), key); err != nil {
		t.Errorf("a refused request took the lock: %v", err)
	}
}
