package antipattern_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lockstep-sim/lockstep/impl/clock"
	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/lock/antipattern"
)

// Two members and a third one that is taken: what is left of the first two?
func TestWhatAnAttemptOnSeveralLocksLeavesBehind(t *testing.T) {
	ask := map[string]func(context.Context, lock.Locker) error{
		"refused": func(ctx context.Context, l lock.Locker) error {
			_, err := l.TryAcquire(ctx, "all")
			return err
		},
		"cancelled": func(ctx context.Context, l lock.Locker) error {
			ctx, cancel := context.WithTimeout(ctx, time.Second)
			defer cancel()
			_, err := l.Acquire(ctx, "all")
			return err
		},
	}
	for name, tc := range map[string]struct {
		build func(clock.Clock, ...lock.Member) (lock.Locker, error)
		kept  bool
	}{
		"ForgetfulMulti": {func(c clock.Clock, m ...lock.Member) (lock.Locker, error) {
			return antipattern.NewForgetfulMulti(c, m...)
		}, true},
		"Multi": {func(c clock.Clock, m ...lock.Member) (lock.Locker, error) { return lock.NewMulti(c, m...) }, false},
	} {
		for how, f := range ask {
			t.Run(name+"/"+how, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					store := antipattern.NewLocalMutex(nil)
					var members []lock.Member
					for _, key := range []string{"a", "b", "c"} {
						members = append(members, lock.Member{Locker: store, Name: func(string) string { return key }})
					}
					all, err := tc.build(nil, members...)
					if err != nil {
						t.Fatal(err)
					}
					if _, err := store.TryAcquire(t.Context(), "c"); err != nil {
						t.Fatal(err)
					}
					if err := f(t.Context(), all); !errors.Is(err, lock.ErrNotAcquired) {
						t.Errorf("the attempt: %v", err)
					}
					for _, key := range []string{"a", "b"} {
						if _, err := store.TryAcquire(t.Context(), key); (err != nil) != tc.kept {
							t.Errorf("%s afterwards: %v", key, err)
						}
					}
				})
			})
		}
	}
}

func TestAForgetfulMultiWorksWhileNothingIsRefused(t *testing.T) {
	store := antipattern.NewLocalMutex(nil)
	all, err := antipattern.NewForgetfulMulti(nil, lock.Member{Locker: store})
	if err != nil {
		t.Fatal(err)
	}
	if err := acquire(t, all).Release(t.Context()); err != nil {
		t.Errorf("Release = %v", err)
	}
	if _, err := all.TryAcquire(t.Context(), key); err != nil {
		t.Errorf("the lock was not given back: %v", err)
	}
	if _, err := antipattern.NewForgetfulMulti(nil); !errors.Is(err, lock.ErrInvalid) {
		t.Errorf("without members: %v", err)
	}
}
