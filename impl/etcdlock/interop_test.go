package etcdlock_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"go.etcd.io/etcd/client/v3/concurrency"

	"github.com/lockstep-sim/lockstep/impl/etcdlock"
	"github.com/lockstep-sim/lockstep/impl/lock"
)

func (w *world) mutex(key string) *concurrency.Mutex {
	w.t.Helper()
	s, err := concurrency.NewSession(w.connect(), concurrency.WithTTL(10))
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { s.Close() })
	return concurrency.NewMutex(s, key)
}

func TestExcludesEtcdsOwnMutex(t *testing.T) {
	w := newWorld(t)
	lease := w.acquire(w.locker(etcdlock.Config{}), "k")
	mutex := w.mutex("k")
	if err := mutex.TryLock(t.Context()); !errors.Is(err, concurrency.ErrLocked) {
		t.Errorf("etcd's TryLock under our lease = %v, want ErrLocked", err)
	}
	locked := make(chan error, 1)
	go func() { locked <- mutex.Lock(context.Background()) }()
	w.eventually("the mutex is in the queue", func() bool { return len(w.keys("k/")) == 2 })
	w.release(lease)
	if err := within(t, 5*time.Second, "the hand-off to etcd's mutex", locked); err != nil {
		t.Fatal(err)
	}
}

func TestIsExcludedByEtcdsOwnMutex(t *testing.T) {
	w := newWorld(t)
	mutex := w.mutex("k")
	if err := mutex.Lock(t.Context()); err != nil {
		t.Fatal(err)
	}
	l := w.locker(etcdlock.Config{})
	if _, err := l.TryAcquire(t.Context(), "k"); !errors.Is(err, lock.ErrNotAcquired) {
		t.Errorf("TryAcquire under etcd's mutex = %v, want ErrNotAcquired", err)
	}
	waiting := w.enqueue(t.Context(), l, "k")
	if err := mutex.Unlock(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := within(t, 5*time.Second, "the hand-off from etcd's mutex", waiting); got.err != nil {
		t.Error(got.err)
	}
}
