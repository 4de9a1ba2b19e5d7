package zklock_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lockstep-sim/lockstep/impl/embedded/zk"
	"github.com/lockstep-sim/lockstep/impl/embedded/zk/state"
	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/zklock"
	"github.com/lockstep-sim/lockstep/impl/zklock/zkconn"
)

// sessionTimeout is that of every client here; the server expires a session up
// to tick later.
const (
	sessionTimeout = 10 * time.Second
	tick           = 2 * time.Second
)

// world is a server in virtual time.
type world struct {
	*testing.T
	srv *zk.Server
}

func inBubble(t *testing.T, f func(t *testing.T, w world)) { inBubbleWith(t, zk.Options{}, f) }

func inBubbleWith(t *testing.T, opts zk.Options, f func(t *testing.T, w world)) {
	synctest.Test(t, func(t *testing.T) {
		srv := zk.InMemory(opts)
		t.Cleanup(func() { _ = srv.Close() })
		f(t, world{t, srv})
	})
}

// process is a client with a link of its own, and a mutex on it.
type process struct {
	*zklock.Mutex
	conn *zkconn.Client
	link *zk.Link
}

func (w world) process() process {
	w.Helper()
	link := w.srv.NewLink()
	conn := w.dial(link)
	m := must(zklock.New(conn, zklock.Config{}))
	w.Cleanup(func() { _ = m.Close() })
	return process{Mutex: m, conn: conn, link: link}
}

func (w world) dial(link *zk.Link) *zkconn.Client {
	w.Helper()
	conn, err := zkconn.Dial(w.Context(), zkconn.Config{
		Servers: []string{"127.0.0.1"}, SessionTimeout: sessionTimeout, Dialer: link.Dial,
	})
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(conn.Close)
	return conn
}

// must is for constructors that cannot fail here.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// acquire is for locks that must be granted.
func (w world) acquire(l lock.Locker, key string, opts ...lock.Option) lock.Lease {
	w.Helper()
	lease, err := l.Acquire(w.Context(), key, opts...)
	if err != nil {
		w.Fatalf("acquire: %v", err)
	}
	return lease
}

func (w world) release(l lock.Lease) {
	w.Helper()
	if err := l.Release(w.Context()); err != nil {
		w.Errorf("release: %v", err)
	}
}

// attempt is an acquire that goes on in the background.
type attempt struct {
	cancel context.CancelFunc
	done   chan struct{}
	lease  lock.Lease
	err    error
}

// start begins to acquire.
func start(l lock.Locker, key string, opts ...lock.Option) *attempt {
	ctx, cancel := context.WithCancel(context.Background())
	a := &attempt{cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(a.done)
		a.lease, a.err = l.Acquire(ctx, key, opts...)
	}()
	return a
}

// begin starts to acquire and returns when the attempt waits for something. It is
// cancelled at the end of the test.
func (w world) begin(l lock.Locker, key string, opts ...lock.Option) *attempt {
	a := start(l, key, opts...)
	w.Cleanup(a.cancel)
	synctest.Wait()
	return a
}

// granted reports whether the attempt has its lease by now, at this instant of
// virtual time.
func (a *attempt) granted() bool {
	synctest.Wait()
	select {
	case <-a.done:
		return a.lease != nil
	default:
		return false
	}
}

func (a *attempt) result() (lock.Lease, error) {
	<-a.done
	return a.lease, a.err
}

// queue lists the nodes below a key, by kind and number, oldest first.
func (w world) queue(key string) []string {
	type entry struct {
		name  string
		czxid int64
	}
	var entries []entry
	for _, n := range w.srv.Machine().Tree() {
		if name, ok := strings.CutPrefix(n.Path, "/lockstep/"+key+"/"); ok {
			const random = len("_c_") + 32 + len("-")
			entries = append(entries, entry{name[random:], n.Stat.Czxid})
		}
	}
	slices.SortFunc(entries, func(a, b entry) int { return int(a.czxid - b.czxid) })
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.name
	}
	return names
}

// deleteQueue deletes all ephemeral nodes, the newest first.
func (w world) deleteQueue(admin process) {
	w.Helper()
	nodes := slices.DeleteFunc(w.srv.Machine().Tree(), func(n state.Node) bool { return n.Stat.EphemeralOwner == 0 })
	slices.SortFunc(nodes, func(a, b state.Node) int { return int(b.Stat.Czxid - a.Stat.Czxid) })
	for _, n := range nodes {
		if err := admin.conn.Delete(w.Context(), n.Path); err != nil {
			w.Fatal(err)
		}
	}
}

func (w world) wantQueue(key string, n int) {
	w.Helper()
	synctest.Wait()
	if q := w.queue(key); len(q) != n {
		w.Errorf("%d nodes in the queue: %v, want %d", len(q), q, n)
	}
}

// requests counts what f makes the server do.
func (w world) requests(f func()) map[state.Op]int {
	before := w.srv.Requests()
	f()
	synctest.Wait()
	after := w.srv.Requests()
	for op, n := range before {
		if after[op] -= n; after[op] == 0 {
			delete(after, op)
		}
	}
	return after
}

func isDone(l lock.Lease) bool {
	select {
	case <-l.Done():
		return true
	default:
		return false
	}
}

// Short names for what the tests use of the packages below.
type zkAction = zk.Action

const (
	pass       = zk.Pass
	persistent = zkconn.Persistent
)

// letOthersRun returns when everything else in the bubble waits. The test itself
// calls synctest.Wait, which two may not do at a time; this is for hooks that run
// inside the server.
func letOthersRun() { time.Sleep(time.Nanosecond) }

// cutOnce loses the answer to the next request of a kind.
func cutOnce(op state.Op) zk.Fault { return zk.Once(op, zk.CutAfter) }
