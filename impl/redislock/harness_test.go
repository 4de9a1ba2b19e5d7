package redislock_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"
	"go.uber.org/goleak"

	"github.com/lockstep-sim/lockstep/impl/embedded/redisd"
	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/redislock"
	"github.com/lockstep-sim/lockstep/internal/realserver"
)

func TestMain(m *testing.M) {
	logging.Disable() // go-redis reports the faults that the tests make
	goleak.VerifyTestMain(m)
}

const (
	key = "lock:order:1"
	// short is a lease that a test waits out, also on a real server.
	short = 120 * time.Millisecond
	// long is a lease that does not run out during a test, however slow the
	// machine is.
	long = time.Minute
	// often is a time between renewals that a test waits out several times.
	often = 10 * time.Millisecond
	// patience is how long a test waits for what must happen.
	patience = 30 * time.Second
)

// store is a Redis that a test talks to. The same tests run on miniredis, in
// virtual time, and on a real server, in real time.
type store struct {
	t       *testing.T
	options func() *redis.Options
	admin   *redis.Client
}

// onEachStore runs a test on both. On miniredis it runs in a synctest bubble.
func onEachStore(t *testing.T, test func(t *testing.T, s *store)) {
	t.Run("miniredis", func(t *testing.T) { inVirtualTime(t, test) })
	t.Run("redis-server", func(t *testing.T) {
		onRealServer(t, func(t *testing.T, s *store, _ *realserver.RedisServer) { test(t, s) })
	})
}

// onRealServer runs a test on a real server alone.
func onRealServer(t *testing.T, test func(t *testing.T, s *store, server *realserver.RedisServer)) {
	server := realserver.Redis(t)
	test(t, newStore(t, func() *redis.Options {
		o := redisd.InMemory().Options()
		o.Addr, o.Dialer = server.Addr(), nil
		return o
	}), server)
}

// inVirtualTime runs a test on miniredis alone, with exact times.
func inVirtualTime(t *testing.T, test func(t *testing.T, s *store)) {
	synctest.Test(t, func(t *testing.T) {
		server := redisd.InMemory()
		t.Cleanup(server.Close)
		test(t, newStore(t, server.Options))
	})
}

func newStore(t *testing.T, options func() *redis.Options) *store {
	s := &store{t: t, options: options}
	s.admin, _ = s.client()
	if err := redislock.Load(t.Context(), s.admin); err != nil {
		t.Fatal(err)
	}
	return s
}

// client makes a client of its own, as another process would have, and the wire
// that its requests go over.
func (s *store) client() (*redis.Client, *wire) {
	rdb := redis.NewClient(s.options())
	s.t.Cleanup(func() { _ = rdb.Close() }) // some tests close it themselves
	w := &wire{}
	rdb.AddHook(w)
	return rdb, w
}

// mutex makes a mutex with a client of its own.
func (s *store) mutex(cfg redislock.Config) (*redislock.Mutex, *wire) {
	s.t.Helper()
	rdb, w := s.client()
	m, err := redislock.New(rdb, cfg)
	if err != nil {
		s.t.Fatal(err)
	}
	return m, w
}

// owner is what stands in the lock, or empty.
func (s *store) owner(key string) string { return s.admin.Get(context.Background(), key).Val() }

// pttl is what is left of the lock's lease.
func (s *store) pttl(key string) time.Duration {
	return s.admin.PTTL(context.Background(), key).Val()
}

// subscribers is the number of those who listen for a release.
func (s *store) subscribers(key string) int64 {
	channel := "{" + key + "}:released"
	return s.admin.PubSubNumSub(context.Background(), channel).Val()[channel]
}

// eventually waits until a condition holds.
func eventually(t *testing.T, what string, condition func() bool) {
	t.Helper()
	look := time.NewTicker(2 * time.Millisecond)
	defer look.Stop()
	limit := time.NewTimer(patience)
	defer limit.Stop()
	for !condition() {
		select {
		case <-look.C:
		case <-limit.C:
			t.Fatalf("never happened: %s", what)
		}
	}
}

func acquire(t *testing.T, m lock.Locker, opts ...lock.Option) lock.Lease {
	t.Helper()
	lease, err := m.Acquire(t.Context(), key, opts...)
	if err != nil {
		t.Fatalf("Acquire = %v", err)
	}
	return lease
}

func release(t *testing.T, lease lock.Lease) {
	t.Helper()
	if err := lease.Release(t.Context()); err != nil {
		t.Fatalf("Release = %v", err)
	}
}

// acquisition is an Acquire in a goroutine of its own.
type acquisition struct {
	lease lock.Lease
	err   error
	done  chan struct{}
}

func start(ctx context.Context, m lock.Locker, opts ...lock.Option) *acquisition {
	a := &acquisition{done: make(chan struct{})}
	go func() {
		defer close(a.done)
		a.lease, a.err = m.Acquire(ctx, key, opts...)
	}()
	return a
}

// result waits for the end of the Acquire.
func (a *acquisition) result(t *testing.T) (lock.Lease, error) {
	t.Helper()
	select {
	case <-a.done:
	case <-time.After(patience):
		t.Fatal("Acquire did not return")
	}
	return a.lease, a.err
}

// wire sees every request of one client, and can have faults.
type wire struct {
	mu    sync.Mutex
	log   []string
	fault func(ctx context.Context, name string, send func() error) error
}

// requests is what was sent, by the name of the command or of the script.
func (w *wire) requests() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.log)
}

func (w *wire) count(name string) (n int) {
	for _, r := range w.requests() {
		if r == name {
			n++
		}
	}
	return n
}

// forget empties the record.
func (w *wire) forget() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.log = nil
}

// fail makes f decide what becomes of every request from now on; nil ends it.
func (w *wire) fail(f func(ctx context.Context, name string, send func() error) error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.fault = f
}

// DialHook implements redis.Hook.
func (w *wire) DialHook(next redis.DialHook) redis.DialHook { return next }

// ProcessPipelineHook implements redis.Hook.
func (w *wire) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

// ProcessHook implements redis.Hook.
func (w *wire) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		name := requestName(cmd)
		if name == "HELLO" { // the client's set-up of a new connection
			return next(ctx, cmd)
		}
		w.mu.Lock()
		w.log = append(w.log, name)
		fault := w.fault
		w.mu.Unlock()
		send := func() error { return next(ctx, cmd) }
		if fault == nil {
			return send()
		}
		err := fault(ctx, name, send)
		cmd.SetErr(err)
		return err
	}
}

func requestName(cmd redis.Cmder) string {
	name := strings.ToUpper(cmd.Name())
	if name != "EVALSHA" {
		return name
	}
	for _, s := range redislock.Scripts() {
		if s.SHA == cmd.Args()[1] {
			return s.Name
		}
	}
	return name
}
