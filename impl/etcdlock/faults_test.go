package etcdlock_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc"
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

func TestASessionWhoseGrantIsNotAnsweredIsUsedAllTheSame(t *testing.T) {
	w := newWorld(t)
	wire := newWire()
	l := w.locker(etcdlock.Config{}, wire.options()...)
	var sent atomic.Int32
	wire.onSend(func(ctx context.Context, method string, send func(context.Context) error) error {
		if method == "LeaseGrant" && sent.Add(1) == 1 {
			return answerLost(ctx, send)
		}
		return send(ctx)
	})
	lease := w.acquire(l, "k")
	if got := w.leases(); len(got) != 1 || got[0] != w.leaseOf(lease.EntryKey()) {
		t.Errorf("leases %v after %d requests for one, want the one in use", got, sent.Load())
	}
}

func TestASessionThatWasGivenUpIsRevoked(t *testing.T) {
	w := newWorld(t)
	wire := newWire()
	l := w.locker(etcdlock.Config{}, wire.options()...)
	ctx, cancel := context.WithCancel(t.Context())
	wire.onSend(func(ctx context.Context, method string, send func(context.Context) error) error {
		if method != "LeaseGrant" {
			return send(ctx)
		}
		defer cancel()
		return answerLost(ctx, send)
	})
	if _, err := l.Acquire(ctx, "k"); !errors.Is(err, context.Canceled) || !errors.Is(err, lock.ErrNotAcquired) {
		t.Errorf("Acquire = %v, want ErrNotAcquired and context.Canceled", err)
	}
	if got := w.leases(); len(got) != 0 {
		t.Errorf("leases left: %v", got)
	}
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

func TestAWaiterWhoseLeaseEndedIsNotGrantedTheLock(t *testing.T) {
	w := newWorld(t)
	holder := w.acquire(w.locker(etcdlock.Config{}), "k")
	b := w.enqueue(t.Context(), w.locker(etcdlock.Config{}), "k")
	for _, key := range w.keys("k/") {
		if key != holder.EntryKey() {
			w.revoke(w.leaseOf(key))
		}
	}
	w.release(holder)
	got := within(t, 5*time.Second, "the end of the wait", b)
	if got.lease != nil || !errors.Is(got.err, lock.ErrSessionExpired) || !errors.Is(got.err, lock.ErrNotAcquired) {
		t.Errorf("Acquire = %v, %v, want ErrNotAcquired and ErrSessionExpired", got.lease, got.err)
	}
}

func TestAWaiterLearnsOfTheEndOfItsSession(t *testing.T) {
	w := newWorld(t)
	holder := w.acquire(w.locker(etcdlock.Config{}), "k")
	b := w.enqueue(t.Context(), w.locker(etcdlock.Config{TTL: time.Second}), "k")
	for _, key := range w.keys("k/") {
		if key != holder.EntryKey() {
			w.revoke(w.leaseOf(key))
		}
	}
	got := within(t, 5*time.Second, "the end of the wait, with the lock still held", b)
	if !errors.Is(got.err, lock.ErrSessionExpired) {
		t.Errorf("Acquire = %v, want ErrSessionExpired", got.err)
	}
	if len(w.keys("k/")) != 1 {
		t.Errorf("queue holds %v", w.keys("k/"))
	}
}

func TestAnEndedSessionIsReplacedUnnoticed(t *testing.T) {
	w := newWorld(t)
	l := w.locker(etcdlock.Config{})
	a := w.acquire(l, "k")
	w.revoke(w.leaseOf(a.EntryKey())) // the Locker does not know yet
	b := w.acquire(l, "k")
	if err := a.Release(t.Context()); !errors.Is(err, lock.ErrNotHeld) {
		t.Errorf("Release of the lost lease = %v, want ErrNotHeld", err)
	}
	if !errors.Is(a.Err(), lock.ErrSessionExpired) {
		t.Errorf("the lost lease says %v, want ErrSessionExpired", a.Err())
	}
	w.release(b)
}

func TestALostWatchIsOpenedAnew(t *testing.T) {
	w := newWorld(t)
	store := &deafStore{Store: etcdlock.NewStore(w.connect())}
	store.deaf.Store(2)
	l, err := etcdlock.NewOnStore(store, etcdlock.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	a := w.acquire(w.locker(etcdlock.Config{}), "k")
	b := w.enqueue(t.Context(), l, "k")
	w.eventually("both watches are lost", func() bool { return store.deaf.Load() <= 0 })
	w.release(a)
	if got := within(t, 5*time.Second, "the grant after two lost watches", b); got.err != nil {
		t.Error(got.err)
	}
}

func TestWithoutWatchesAWaiterLooksNowAndThen(t *testing.T) {
	w := newWorld(t)
	l, err := etcdlock.NewOnStore(&blindStore{etcdlock.NewStore(w.connect())}, etcdlock.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	a := w.acquire(w.locker(etcdlock.Config{}), "k")
	b := w.enqueue(t.Context(), l, "k")
	w.release(a)
	if got := within(t, 5*time.Second, "the grant without a watch", b); got.err != nil {
		t.Error(got.err)
	}
}

// blindStore has no watches.
type blindStore struct{ etcdlock.Store }

func (blindStore) Watch(context.Context, string) (etcdlock.Watch, error) {
	return nil, errCut
}

// deafStore loses its first watches.
type deafStore struct {
	etcdlock.Store
	deaf atomic.Int32
}

func (s *deafStore) Watch(ctx context.Context, key string) (etcdlock.Watch, error) {
	watch, err := s.Store.Watch(ctx, key)
	if err == nil && s.deaf.Add(-1) >= 0 {
		return deafWatch{watch}, nil
	}
	return watch, err
}

type deafWatch struct{ etcdlock.Watch }

func (deafWatch) WaitDeleted(context.Context) error { return etcdlock.ErrWatchLost }

func TestAKeyThatGoesBeforeTheWatchIsNotWaitedFor(t *testing.T) {
	w := newWorld(t)
	a := w.acquire(w.locker(etcdlock.Config{}), "k")
	store := &slowWatchStore{Store: etcdlock.NewStore(w.connect()), before: func() { w.release(a) }}
	l, err := etcdlock.NewOnStore(store, etcdlock.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	w.release(w.acquire(l, "k"))
}

// slowWatchStore lets something happen before a watch is opened.
type slowWatchStore struct {
	etcdlock.Store
	before func()
}

func (s *slowWatchStore) Watch(ctx context.Context, key string) (etcdlock.Watch, error) {
	s.before()
	return s.Store.Watch(ctx, key)
}

// The client resumes a broken watch where it was. If that revision has been
// compacted away in the meantime, the watch is lost, not the waiter.
func TestAWatchThatIsCompactedAwayLosesNoWaiter(t *testing.T) {
	w := newWorld(t)
	line := newBrokenLine()
	store := &watchedStore{
		Store:  etcdlock.NewStore(w.connect(grpc.WithChainStreamInterceptor(line.intercept))),
		opened: make(chan struct{}, 10), lost: make(chan error, 10),
	}
	l, err := etcdlock.NewOnStore(store, etcdlock.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	a := w.acquire(w.locker(etcdlock.Config{}), "k")
	b := w.enqueue(t.Context(), l, "k")
	within(t, 5*time.Second, "the opening of the watch", store.opened)

	line.cut()
	var revision int64
	for range 10 {
		res, err := w.client.Put(t.Context(), "unrelated", "")
		if err != nil {
			t.Fatal(err)
		}
		revision = res.Header.Revision
	}
	if _, err := w.client.Compact(t.Context(), revision); err != nil {
		t.Fatal(err)
	}
	line.mend()
	err = within(t, 10*time.Second, "the loss of the watch", store.lost)
	if !errors.Is(err, etcdlock.ErrWatchLost) || !errors.Is(err, rpctypes.ErrCompacted) {
		t.Fatalf("the watch ended with %v, want ErrWatchLost by compaction", err)
	}
	w.release(a)
	if got := within(t, 10*time.Second, "the grant after the compaction", b); got.err != nil {
		t.Error(got.err)
	}
}

// watchedStore tells when a watch is open and how one was lost.
type watchedStore struct {
	etcdlock.Store
	opened chan struct{}
	lost   chan error
}

func (s *watchedStore) Watch(ctx context.Context, key string) (etcdlock.Watch, error) {
	watch, err := s.Store.Watch(ctx, key)
	s.opened <- struct{}{}
	return watchedWatch{watch, s.lost}, err
}

type watchedWatch struct {
	etcdlock.Watch
	lost chan error
}

func (w watchedWatch) WaitDeleted(ctx context.Context) error {
	err := w.Watch.WaitDeleted(ctx)
	if err != nil {
		w.lost <- err
	}
	return err
}

// brokenLine cuts the watch streams of a client and keeps new ones waiting.
type brokenLine struct {
	ctx    context.Context
	cut    context.CancelFunc
	mended context.Context
	mend   context.CancelFunc
}

func newBrokenLine() *brokenLine {
	l := &brokenLine{}
	l.ctx, l.cut = context.WithCancel(context.Background())
	l.mended, l.mend = context.WithCancel(context.Background())
	return l
}

func (l *brokenLine) intercept(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, open grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
	if short(method) != "Watch" {
		return open(ctx, desc, cc, method, opts...)
	}
	if l.ctx.Err() != nil {
		select {
		case <-l.mended.Done():
		case <-ctx.Done():
		}
		return open(ctx, desc, cc, method, opts...)
	}
	ctx, cancel := context.WithCancel(ctx)
	context.AfterFunc(l.ctx, cancel)
	stream, err := open(ctx, desc, cc, method, opts...)
	return brittleStream{stream, l}, err
}

type brittleStream struct {
	grpc.ClientStream
	line *brokenLine
}

func (s brittleStream) RecvMsg(m any) error {
	err := s.ClientStream.RecvMsg(m)
	if err != nil && s.line.ctx.Err() != nil {
		return errCut
	}
	return err
}

func TestARestartOfTheServerCostsNoLock(t *testing.T) {
	w := newWorld(t)
	a := w.acquire(w.locker(etcdlock.Config{}), "k")
	b := w.enqueue(t.Context(), w.locker(etcdlock.Config{}), "k")
	if err := w.server.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	if a.Err() != nil {
		t.Fatalf("the holder lost its lease: %v", a.Err())
	}
	w.release(a)
	got := within(t, 15*time.Second, "the grant after a restart", b)
	if got.err != nil {
		t.Fatal(got.err)
	}
	w.release(got.lease)
	if left := w.keys("k/"); len(left) != 0 {
		t.Errorf("left behind: %v", left)
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
