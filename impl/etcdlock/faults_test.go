package etcdlock_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/lockstep-sim/lockstep/impl/etcdlock"
	"github.com/lockstep-sim/lockstep/impl/lock"
)

// errCut is what the client sees when a connection breaks.
var errCut = status.Error(codes.Unavailable, "the connection was cut")

// answerLost lets a request through and loses its answer.
func answerLost(ctx context.Context, send func(context.Context) error) error {
	if err := send(ctx); err != nil {
		return err
	}
	return errCut
}

// onNth runs f in the way of the nth transaction from now on.
func (w *wire) onNth(n int32, f func(ctx context.Context, send func(context.Context) error) error) {
	var seen atomic.Int32
	w.onSend(func(ctx context.Context, method string, send func(context.Context) error) error {
		if method == "Txn" && seen.Add(1) == n {
			return f(ctx, send)
		}
		return send(ctx)
	})
}

func TestAnAcquireWhoseAnswerIsLostStillGetsItsLock(t *testing.T) {
	for name, take := range map[string]func(lock.Locker, context.Context) (lock.Lease, error){
		"Acquire":    func(l lock.Locker, ctx context.Context) (lock.Lease, error) { return l.Acquire(ctx, "k") },
		"TryAcquire": func(l lock.Locker, ctx context.Context) (lock.Lease, error) { return l.TryAcquire(ctx, "k") },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			wire := newWire()
			l := w.locker(etcdlock.Config{}, wire.options()...)
			wire.onNth(1, answerLost)
			lease, err := take(l, t.Context())
			if err != nil {
				t.Fatal(err)
			}
			keys := w.keys("k/")
			if len(keys) != 1 || keys[0] != lease.(*etcdlock.Lease).EntryKey() {
				t.Fatalf("queue holds %v, want the grant's key", keys)
			}
			res, err := w.client.Get(t.Context(), keys[0])
			if err != nil {
				t.Fatal(err)
			}
			if token, _ := lease.Token(); token != lock.Token(res.Kvs[0].CreateRevision) {
				t.Errorf("token %d, the key was created at %d", token, res.Kvs[0].CreateRevision)
			}
			w.release(lease)
			if left := w.keys("k/"); len(left) != 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

func TestAnAcquireCancelledBeforeItsAnswerLeavesNoKey(t *testing.T) {
	w := newWorld(t)
	wire := newWire()
	l := w.locker(etcdlock.Config{}, wire.options()...)
	ctx, cancel := context.WithCancel(t.Context())
	wire.onNth(1, func(ctx context.Context, send func(context.Context) error) error {
		if err := send(ctx); err != nil {
			return err
		}
		cancel()
		return status.FromContextError(context.Canceled).Err()
	})
	_, err := l.Acquire(ctx, "k")
	if !errors.Is(err, context.Canceled) || !errors.Is(err, lock.ErrNotAcquired) {
		t.Errorf("Acquire = %v, want ErrNotAcquired and context.Canceled", err)
	}
	if left := w.keys("k/"); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestACancelledWaitThatCannotBeClearedSaysSo(t *testing.T) {
	w := newWorld(t)
	wire := newWire()
	l := w.locker(etcdlock.Config{TTL: time.Second}, wire.options()...)
	a := w.acquire(w.locker(etcdlock.Config{}), "k")
	ctx, cancel := context.WithCancel(t.Context())
	b := w.enqueue(ctx, l, "k")
	wire.onSend(func(ctx context.Context, method string, send func(context.Context) error) error {
		return errCut
	})
	cancel()
	got := within(t, 10*time.Second, "the end of the wait", b)
	for _, want := range []error{lock.ErrNotAcquired, lock.ErrUnknownOutcome, context.Canceled} {
		if !errors.Is(got.err, want) {
			t.Errorf("Acquire = %v, want %v in it", got.err, want)
		}
	}
	// Nothing renews the session of a claim that was given up.
	w.eventually("the key goes with its lease", func() bool { return len(w.keys("k/")) == 1 })
	w.release(a)
}

func TestAKeyThatIsWrittenLateDoesNotBlockTheLock(t *testing.T) {
	w := newWorld(t)
	store := &lateStore{Store: etcdlock.NewStore(w.client)}
	l, err := etcdlock.NewOnStore(store, etcdlock.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	ctx, cancel := context.WithCancel(t.Context())
	store.cancel = cancel
	if _, err := l.Acquire(ctx, "k"); !errors.Is(err, context.Canceled) {
		t.Fatalf("Acquire = %v, want context.Canceled", err)
	}
	if err := store.arrive(t.Context()); !errors.Is(err, etcdlock.ErrLeaseNotFound) {
		t.Errorf("the late request came to %v, want ErrLeaseNotFound", err)
	}
	w.release(w.acquire(l, "k"))
}

// lateStore keeps back the first transaction, which reaches etcd when its sender
// has long given up.
type lateStore struct {
	etcdlock.Store
	kept   atomic.Pointer[etcdlock.Txn]
	cancel context.CancelFunc
}

func (s *lateStore) Txn(ctx context.Context, txn etcdlock.Txn) (etcdlock.Result, error) {
	if s.kept.CompareAndSwap(nil, &txn) {
		s.cancel()
		return etcdlock.Result{}, context.Canceled
	}
	return s.Store.Txn(ctx, txn)
}

func (s *lateStore) arrive(ctx context.Context) error {
	_, err := s.Store.Txn(ctx, *s.kept.Load())
	return err
}

func TestAReleaseRepeatedAfterALostAnswerSparesTheNewerLock(t *testing.T) {
	w := newWorld(t)
	wire := newWire()
	l := w.locker(etcdlock.Config{}, wire.options()...)
	a := w.acquire(l, "k")
	newer := make(chan result, 1)
	wire.onNth(1, func(ctx context.Context, send func(context.Context) error) error {
		if err := send(ctx); err != nil {
			return err
		}
		lease, err := l.Acquire(ctx, "k") // the same client locks again meanwhile
		newer <- result{lease, err}
		return errCut
	})
	if err := a.Release(t.Context()); err != nil {
		t.Errorf("Release = %v, want nil: the first attempt did it", err)
	}
	got := <-newer
	if got.err != nil {
		t.Fatal(got.err)
	}
	if keys := w.keys("k/"); len(keys) != 1 || keys[0] != got.lease.(*etcdlock.Lease).EntryKey() {
		t.Errorf("queue holds %v, want the newer grant's key", keys)
	}
	w.release(got.lease)
}

func TestAKeyThatCouldNotBeDeletedGoesWithTheNextRenewal(t *testing.T) {
	w := newWorld(t)
	wire := newWire()
	l := w.locker(etcdlock.Config{TTL: time.Second}, wire.options()...)
	other := w.acquire(l, "keeps the session alive")
	a := w.acquire(l, "k")
	wire.onSend(func(ctx context.Context, method string, send func(context.Context) error) error {
		if method == "Txn" {
			return errCut
		}
		return send(ctx)
	})
	if err := a.Release(t.Context()); !errors.Is(err, lock.ErrUnknownOutcome) || errors.Is(err, lock.ErrNotHeld) {
		t.Errorf("Release = %v, want ErrUnknownOutcome", err)
	}
	if !errors.Is(a.Err(), lock.ErrReleased) {
		t.Errorf("the lease says %v, its holder has given it up", a.Err())
	}
	b := w.enqueue(t.Context(), w.locker(etcdlock.Config{}), "k")
	wire.onSend(nil)
	if got := within(t, 5*time.Second, "the grant after the clean-up", b); got.err != nil {
		t.Error(got.err)
	}
	if other.Err() != nil {
		t.Errorf("the other grant of the session ended: %v", other.Err())
	}
}

// A context of another clock ends those derived from it as cancelled; the caller
// is to see its own reason.
func TestTheCallersOwnReasonIsReported(t *testing.T) {
	w := newWorld(t)
	a := w.acquire(w.locker(etcdlock.Config{}), "k")
	parent, cancel := context.WithCancel(t.Context())
	b := w.enqueue(reasonedContext{parent}, w.locker(etcdlock.Config{}), "k")
	cancel()
	got := within(t, 5*time.Second, "the end of the wait", b)
	if !errors.Is(got.err, context.DeadlineExceeded) || !errors.Is(got.err, lock.ErrNotAcquired) {
		t.Errorf("Acquire = %v, want ErrNotAcquired and DeadlineExceeded", got.err)
	}
	w.release(a)
}

// reasonedContext says that it ended by a deadline, whatever ended it.
type reasonedContext struct{ context.Context }

func (c reasonedContext) Err() error {
	if c.Context.Err() != nil {
		return context.DeadlineExceeded
	}
	return nil
}
