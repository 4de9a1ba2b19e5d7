package antipattern_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/goleak"

	"github.com/lockstep-sim/lockstep/impl/embedded/etcd"
	"github.com/lockstep-sim/lockstep/impl/etcdlock"
	"github.com/lockstep-sim/lockstep/impl/etcdlock/antipattern"
	"github.com/lockstep-sim/lockstep/impl/lock"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// maker builds a lock; all of them take the same arguments.
type maker func(etcdlock.Store, etcdlock.Config) (lock.Locker, error)

func as[L lock.Locker](construct func(etcdlock.Store, etcdlock.Config) (L, error)) maker {
	return func(s etcdlock.Store, cfg etcdlock.Config) (lock.Locker, error) { return construct(s, cfg) }
}

var (
	correct             = as(etcdlock.NewOnStore)
	herdWatch           = as(antipattern.NewHerdWatch)
	watchGap            = as(antipattern.NewWatchGap)
	watchPast           = as(antipattern.NewWatchPast)
	grantedWithoutKey   = as(antipattern.NewGrantedWithoutKey)
	unconditionalDelete = as(antipattern.NewUnconditionalDelete)
	ignoreKeepAlive     = as(antipattern.NewIgnoreKeepAlive)
)

var all = map[string]maker{
	"HerdWatch": herdWatch, "WatchGap": watchGap, "WatchPast": watchPast, "GrantedWithoutKey": grantedWithoutKey,
	"UnconditionalDelete": unconditionalDelete, "IgnoreKeepAlive": ignoreKeepAlive,
}

const key = "lock:order:1"

// world is a real etcd server and a client of it.
type world struct {
	t      *testing.T
	client *clientv3.Client
}

func newWorld(t *testing.T) *world {
	t.Helper()
	server, err := etcd.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	client, err := server.NewClient()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	return &world{t: t, client: client}
}

// spy is a store of one client: it counts, and can be made to act before a
// watch is opened.
type spy struct {
	etcdlock.Store
	txns, watches, keepAlives atomic.Int32
	beforeWatch               func()
}

func (s *spy) Txn(ctx context.Context, txn etcdlock.Txn) (etcdlock.Result, error) {
	defer s.txns.Add(1)
	return s.Store.Txn(ctx, txn)
}

func (s *spy) Watch(ctx context.Context, key string) (etcdlock.Watch, error) {
	if s.beforeWatch != nil {
		s.beforeWatch()
	}
	defer s.watches.Add(1)
	return s.Store.Watch(ctx, key)
}

func (s *spy) WatchFrom(ctx context.Context, key string, revision int64) (etcdlock.Watch, error) {
	if s.beforeWatch != nil {
		s.beforeWatch()
	}
	defer s.watches.Add(1)
	return s.Store.(antipattern.PastStore).WatchFrom(ctx, key, revision)
}

func (s *spy) KeepAlive(ctx context.Context, id etcdlock.LeaseID) (time.Duration, error) {
	defer s.keepAlives.Add(1)
	return s.Store.KeepAlive(ctx, id)
}

// lock makes a lock of the given kind and the spy on its requests.
func (w *world) lock(construct maker, cfg etcdlock.Config) (lock.Locker, *spy) {
	w.t.Helper()
	s := &spy{Store: etcdlock.NewStore(w.client)}
	l, err := construct(s, cfg)
	if err != nil {
		w.t.Fatal(err)
	}
	if c, ok := l.(interface{ Close() error }); ok {
		w.t.Cleanup(func() { c.Close() })
	}
	return l, s
}

func (w *world) acquire(l lock.Locker) lock.Lease {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), 20*time.Second)
	defer cancel()
	lease, err := l.Acquire(ctx, key)
	if err != nil {
		w.t.Fatal(err)
	}
	return lease
}

func (w *world) release(lease lock.Lease) {
	w.t.Helper()
	if err := lease.Release(context.Background()); err != nil {
		w.t.Errorf("Release = %v", err)
	}
}

type result struct {
	lease lock.Lease
	err   error
}

// wait starts an Acquire and returns once it has opened its watch and looked
// again.
func (w *world) wait(l lock.Locker, s *spy, looks int32) <-chan result {
	w.t.Helper()
	out := make(chan result, 1)
	go func() {
		lease, err := l.Acquire(w.t.Context(), key)
		out <- result{lease, err}
	}()
	w.eventually("the waiter is settled", func() bool { return s.watches.Load() == 1 && s.txns.Load() == looks })
	return out
}

func (w *world) eventually(what string, holds func() bool) {
	w.t.Helper()
	patience := time.After(20 * time.Second)
	for tick := time.Tick(2 * time.Millisecond); !holds(); {
		select {
		case <-tick:
		case <-patience:
			w.t.Fatalf("never came about: %s", what)
		}
	}
}

func (w *world) granted(c <-chan result) lock.Lease {
	w.t.Helper()
	select {
	case r := <-c:
		if r.err != nil {
			w.t.Fatal(r.err)
		}
		return r.lease
	case <-time.After(20 * time.Second):
		w.t.Fatal("the waiter was not granted the lock")
		return nil
	}
}

// keys lists the keys of the lock with the leases that they are bound to.
func (w *world) keys() map[string]clientv3.LeaseID {
	w.t.Helper()
	res, err := w.client.Get(context.Background(), key, clientv3.WithPrefix())
	if err != nil {
		w.t.Fatal(err)
	}
	out := map[string]clientv3.LeaseID{}
	for _, kv := range res.Kvs {
		out[string(kv.Key)] = clientv3.LeaseID(kv.Lease)
	}
	return out
}

// expire ends the leases of all keys but those given.
func (w *world) expire(except map[string]clientv3.LeaseID) {
	w.t.Helper()
	for name, id := range w.keys() {
		if _, spared := except[name]; spared {
			continue
		}
		if _, err := w.client.Revoke(context.Background(), id); err != nil {
			w.t.Fatal(err)
		}
	}
}

// Each is a working lock as long as nothing goes wrong, and cleans up.
func TestWithoutFaultsEachIsALock(t *testing.T) {
	for name, construct := range all {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			l, _ := w.lock(construct, etcdlock.Config{})
			a := w.acquire(l)
			if _, err := l.TryAcquire(t.Context(), key); !errors.Is(err, lock.ErrNotAcquired) {
				t.Errorf("TryAcquire of a held lock = %v, want ErrNotAcquired", err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			defer cancel()
			if _, err := l.Acquire(ctx, key); !errors.Is(err, lock.ErrNotAcquired) || !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("Acquire of a held lock = %v, want ErrNotAcquired and DeadlineExceeded", err)
			}
			if got := len(w.keys()); got != 1 {
				t.Errorf("%d keys after a refused and a cancelled call, want the holder's", got)
			}
			second, spy := w.lock(construct, etcdlock.Config{})
			waiting := w.wait(second, spy, looks(name))
			w.release(a)
			b := w.granted(waiting)
			ta, _ := a.Token()
			if tb, ok := b.Token(); !ok || tb <= ta {
				t.Errorf("tokens %d, then %d: they must grow", ta, tb)
			}
			w.release(b)
			leases, err := w.client.Leases(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if len(w.keys()) != 0 || len(leases.Leases) != 0 {
				t.Errorf("left behind: keys %v, leases %v", w.keys(), leases.Leases)
			}
		})
	}
}

// looks is how many transactions a waiter of the kind sends until it waits.
func looks(name string) int32 {
	switch name {
	case "WatchGap", "WatchPast":
		return 1
	case "GrantedWithoutKey":
		return 3
	}
	return 2
}

func TestEachRefusesWhatItDoesNotSupport(t *testing.T) {
	w := newWorld(t)
	for name, construct := range all {
		l, _ := w.lock(construct, etcdlock.Config{})
		for _, opt := range []lock.Option{lock.WithOwner("me"), lock.WithFixedLease(time.Second)} {
			if _, err := l.Acquire(t.Context(), key, opt); !errors.Is(err, lock.ErrInvalid) {
				t.Errorf("%s: Acquire = %v, want ErrInvalid", name, err)
			}
		}
		if _, err := l.TryAcquire(t.Context(), ""); !errors.Is(err, lock.ErrInvalid) {
			t.Errorf("%s: TryAcquire without a key = %v, want ErrInvalid", name, err)
		}
		if _, err := construct(etcdlock.NewStore(w.client), etcdlock.Config{TTL: 1}); !errors.Is(err, lock.ErrInvalid) {
			t.Errorf("%s: a TTL of 1ns = %v, want ErrInvalid", name, err)
		}
	}
}
