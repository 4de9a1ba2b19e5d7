package lock_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lockstep-sim/lockstep/impl/lock"
)

// fake grants leases of one minute; it says what the release answers.
type fake struct {
	refuse, release error
	leases          []*fakeLease
	foreign         bool // leases that are not built on Grant
}

type fakeLease struct {
	*lock.Grant
	release  error
	released int
}

func (l *fakeLease) Release(context.Context) error {
	l.released++
	if !l.End(lock.ErrReleased) {
		return lock.ErrNotHeld
	}
	return l.release
}

func (f *fake) TryAcquire(ctx context.Context, key string, opts ...lock.Option) (lock.Lease, error) {
	return f.Acquire(ctx, key, opts...)
}

func (f *fake) Acquire(context.Context, string, ...lock.Option) (lock.Lease, error) {
	if f.refuse != nil {
		return nil, f.refuse
	}
	l := &fakeLease{Grant: newGrant(time.Minute), release: f.release}
	f.leases = append(f.leases, l)
	if f.foreign {
		return struct{ lock.Lease }{l}, nil
	}
	return l, nil
}

func TestDoReleasesWhateverHappens(t *testing.T) {
	failure := errors.New("the work failed")
	for name, tc := range map[string]struct {
		work func(context.Context) error
		want error
	}{
		"success": {func(context.Context) error { return nil }, nil},
		"failure": {func(context.Context) error { return failure }, failure},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := &fake{}
				if err := lock.Do(bg, f, "k", tc.work); !errors.Is(err, tc.want) || tc.want == nil && err != nil {
					t.Errorf("got %v", err)
				}
				if f.leases[0].released != 1 {
					t.Errorf("released %d times", f.leases[0].released)
				}
			})
		})
	}
}

func TestDoReleasesWhenTheWorkPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{}
		defer func() {
			if recover() == nil || f.leases[0].released != 1 {
				t.Error("the panic is gone, or the lock is still held")
			}
		}()
		_ = lock.Do(bg, f, "k", func(context.Context) error { panic("boom") })
	})
}

func TestDoWithoutTheLockDoesNothing(t *testing.T) {
	err := lock.Do(bg, &fake{refuse: lock.ErrNotAcquired}, "k", func(context.Context) error {
		t.Error("worked without the lock")
		return nil
	})
	if !errors.Is(err, lock.ErrNotAcquired) {
		t.Errorf("got %v", err)
	}
}

// TestDoTellsTheWorkThatItsLeaseIsOver runs with a lease that is built on Grant
// and with one that offers no more than the interface.
func TestDoTellsTheWorkThatItsLeaseIsOver(t *testing.T) {
	for _, foreign := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			f := &fake{foreign: foreign}
			err := lock.Do(bg, f, "k", func(ctx context.Context) error {
				<-ctx.Done()
				return context.Cause(ctx)
			})
			if !errors.Is(err, lock.ErrLost) || !errors.Is(err, lock.ErrNotHeld) {
				t.Errorf("foreign %v: got %v, want the cause and the failed release", foreign, err)
			}
		})
	}
}

func TestTheContextOfTheCallerReachesTheWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(bg, time.Second)
		defer cancel()
		f := &fake{}
		err := lock.Do(ctx, f, "k", func(ctx context.Context) error {
			<-ctx.Done()
			return ctx.Err()
		})
		if !errors.Is(err, context.DeadlineExceeded) || f.leases[0].released != 1 {
			t.Errorf("got %v, released %d times", err, f.leases[0].released)
		}
	})
}

func TestAWorkThatOutlivesItsLeaseIsReportedEvenIfItSucceeds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		err := lock.Do(bg, &fake{}, "k", func(context.Context) error {
			time.Sleep(2 * time.Minute)
			return nil
		})
		if !errors.Is(err, lock.ErrNotHeld) {
			t.Errorf("got %v", err)
		}
	})
}
