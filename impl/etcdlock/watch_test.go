package etcdlock_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc"

	"github.com/lockstep-sim/lockstep/impl/etcdlock"
)

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
