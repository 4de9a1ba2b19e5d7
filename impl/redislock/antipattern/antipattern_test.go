package antipattern_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/redis/go-redis/v9"
	"go.uber.org/goleak"

	"github.com/lockstep-sim/lockstep/impl/embedded/redisd"
	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/redislock"
	"github.com/lockstep-sim/lockstep/impl/redislock/antipattern"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const key = "lock:order:1"

// maker builds a lock; all of them take the same arguments.
type maker func(redislock.Client, redislock.Config) (lock.Locker, error)

func as[L lock.Locker](construct func(redislock.Client, redislock.Config) (L, error)) maker {
	return func(rdb redislock.Client, cfg redislock.Config) (lock.Locker, error) { return construct(rdb, cfg) }
}

var (
	mutex             = as(redislock.New)
	setnxExpire       = as(antipattern.NewSetnxExpire)
	plainDelete       = as(antipattern.NewPlainDelete)
	getThenDelete     = as(antipattern.NewGetThenDelete)
	renewWithoutOwner = as(antipattern.NewRenewWithoutOwner)
	unstoppedWatchdog = as(antipattern.NewUnstoppedWatchdog)
	tokenReadLater    = as(antipattern.NewTokenReadLater)
)

var all = map[string]maker{
	"Mutex": mutex, "SetnxExpire": setnxExpire, "PlainDelete": plainDelete, "GetThenDelete": getThenDelete,
	"RenewWithoutOwner": renewWithoutOwner, "UnstoppedWatchdog": unstoppedWatchdog,
	"TokenReadLater": tokenReadLater,
}

// world is one miniredis in virtual time, and its clients.
type world struct {
	t      *testing.T
	server *redisd.Server
	admin  *redis.Client
}

func inVirtualTime(t *testing.T, test func(t *testing.T, w *world)) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{t: t, server: redisd.InMemory()}
		t.Cleanup(w.server.Close)
		w.admin = w.client(nil)
		test(t, w)
	})
}

// client makes a client of its own. hook, if any, is on the way of its requests.
func (w *world) client(hook middleware) *redis.Client {
	rdb := w.server.Client()
	w.t.Cleanup(func() { _ = rdb.Close() }) // some tests close it themselves
	if hook != nil {
		rdb.AddHook(hook)
	}
	return rdb
}

func (w *world) lock(construct maker, cfg redislock.Config, hook middleware) lock.Locker {
	w.t.Helper()
	l, err := construct(w.client(hook), cfg)
	if err != nil {
		w.t.Fatal(err)
	}
	return l
}

func (w *world) owner() string { return w.admin.Get(w.t.Context(), key).Val() }

func (w *world) pttl() time.Duration { return w.admin.PTTL(w.t.Context(), key).Val() }

func acquire(t *testing.T, l lock.Locker, opts ...lock.Option) lock.Lease {
	t.Helper()
	lease, err := l.Acquire(t.Context(), key, opts...)
	if err != nil {
		t.Fatalf("Acquire = %v", err)
	}
	return lease
}

// pass lets virtual time go by.
func pass(d time.Duration) { <-time.After(d) }

// middleware is called with the name of each command and a function that sends
// it and waits for the answer.
type middleware func(name string, send func() error) error

// DialHook implements redis.Hook.
func (middleware) DialHook(next redis.DialHook) redis.DialHook { return next }

// ProcessPipelineHook implements redis.Hook.
func (middleware) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

// ProcessHook implements redis.Hook.
func (m middleware) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		err := m(cmd.Name(), func() error { return next(ctx, cmd) })
		cmd.SetErr(err)
		return err
	}
}

var errCrashed = errors.New("the process is gone")

// crashAt lets requests through until one of the given name, and none after.
func crashAt(name string) middleware {
	gone := false
	return func(sent string, send func() error) error {
		if gone = gone || sent == name; gone {
			return errCrashed
		}
		return send()
	}
}

// Each is a working lock as long as nothing goes wrong.
func TestWithoutFaultsEachIsALock(t *testing.T) {
	for name, construct := range all {
		t.Run(name, func(t *testing.T) {
			inVirtualTime(t, func(t *testing.T, w *world) {
				rdb := w.client(nil)
				l, err := construct(rdb, redislock.Config{TTL: 3 * time.Second})
				if err != nil {
					t.Fatal(err)
				}
				lease := acquire(t, l)
				if ttl := w.pttl(); w.owner() != lease.Owner() || ttl != 3*time.Second {
					t.Errorf("the key holds %q for %v", w.owner(), ttl)
				}
				if _, err := l.TryAcquire(t.Context(), key); !errors.Is(err, lock.ErrNotAcquired) {
					t.Errorf("TryAcquire of a held lock = %v", err)
				}
				pass(10 * time.Second)
				if lease.Err() != nil || w.owner() != lease.Owner() {
					t.Errorf("after 10s the lease says %v, the key holds %q", lease.Err(), w.owner())
				}
				waiting := make(chan lock.Lease)
				go func() { waiting <- acquire(t, l) }()
				synctest.Wait()
				if err := lease.Release(t.Context()); err != nil {
					t.Errorf("Release = %v", err)
				}
				released := time.Now()
				next := <-waiting
				if took := time.Since(released); took > 0 {
					t.Errorf("the waiter got in %v after the release, want a notification", took)
				}
				if err := next.Release(t.Context()); err != nil || w.owner() != "" {
					t.Errorf("Release = %v, the key holds %q", err, w.owner())
				}
				endProcess(rdb)
			})
		})
	}
}

func TestEachRefusesWhatTheMutexRefuses(t *testing.T) {
	for name, construct := range all {
		inVirtualTime(t, func(t *testing.T, w *world) {
			if _, err := construct(w.admin, redislock.Config{TTL: time.Millisecond}); !errors.Is(err, lock.ErrInvalid) {
				t.Errorf("%s with a TTL of 1ms = %v, want ErrInvalid", name, err)
			}
		})
	}
}
