package consullock

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lockstep-sim/lockstep/impl/lock"
)

func TestCloseEndsEverything(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore(t)
		a, b := newProcess(t, store, Config{}), newProcess(t, store, Config{})
		lease := mustAcquire(t, a, "k")
		own := mustAcquire(t, a, "own", lock.WithTTL(time.Minute))
		other := mustAcquire(t, b, "other")
		ended := make(chan error)
		go func() {
			_, err := a.Acquire(background, "other")
			ended <- err
		}()
		synctest.Wait()
		closed := make(chan error)
		go func() { closed <- a.Close() }()
		if err := <-ended; !errors.Is(err, lock.ErrClosed) || !errors.Is(err, lock.ErrNotAcquired) {
			t.Errorf("waiter: %v, want ErrClosed", err)
		}
		if err := <-closed; err != nil {
			t.Error(err)
		}
		for _, l := range []lock.Lease{lease, own} {
			<-l.Done()
			mustBeLost(t, l)
		}
		if _, err := a.TryAcquire(background, "k"); !errors.Is(err, lock.ErrClosed) {
			t.Errorf("acquire after the close: %v, want ErrClosed", err)
		}
		lease, err := b.TryAcquire(background, "k") // no lock-delay
		if err != nil {
			t.Fatal(err)
		}
		mustRelease(t, lease)
		mustRelease(t, other)
		if err := errors.Join(a.Close(), b.Close()); err != nil {
			t.Error(err)
		}
		mustBeClean(t, store)
	})
}

func TestCloseDuringTheCreationOfTheSessionLeavesNone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore(t)
		a := newProcess(t, store, Config{})
		a.net.latency = time.Second
		ended := make(chan error, 1)
		go func() {
			_, err := a.Acquire(background, "k")
			ended <- err
		}()
		synctest.Wait()
		if err := a.Close(); err != nil {
			t.Error(err)
		}
		if err := <-ended; !errors.Is(err, lock.ErrClosed) {
			t.Errorf("acquire: %v, want ErrClosed", err)
		}
		mustBeClean(t, store)
	})
}
