package etcdlock_test

import (
	"context"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/goleak"
	"google.golang.org/grpc"

	"github.com/lockstep-sim/lockstep/impl/embedded/etcd"
	"github.com/lockstep-sim/lockstep/impl/etcdlock"
	"github.com/lockstep-sim/lockstep/impl/lock"
)

func TestMain(m *testing.M) {
	if endpoint := os.Getenv(holderEnv); endpoint != "" {
		holdForParent(endpoint)
		return
	}
	goleak.VerifyTestMain(m)
}

// world is a real etcd server with a client that nothing interferes with.
type world struct {
	t      testing.TB
	server *etcd.Server
	client *clientv3.Client
}

func newWorld(t testing.TB) *world {
	t.Helper()
	server, err := etcd.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, server: server}
	t.Cleanup(func() { server.Close() })
	w.client = w.connect()
	return w
}

func (w *world) connect(opts ...grpc.DialOption) *clientv3.Client {
	w.t.Helper()
	c, err := w.server.NewClient(opts...)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { c.Close() })
	return c
}

// locker makes a Locker on a client of its own. It stands for one process.
func (w *world) locker(cfg etcdlock.Config, opts ...grpc.DialOption) *etcdlock.Locker {
	w.t.Helper()
	l, err := etcdlock.New(w.connect(opts...), cfg)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { l.Close() })
	return l
}

// keys lists the keys that begin with prefix.
func (w *world) keys(prefix string) []string {
	w.t.Helper()
	res, err := w.client.Get(context.Background(), prefix, clientv3.WithPrefix(), clientv3.WithKeysOnly())
	if err != nil {
		w.t.Fatal(err)
	}
	var out []string
	for _, kv := range res.Kvs {
		out = append(out, string(kv.Key))
	}
	return out
}

// leases lists all leases of the server.
func (w *world) leases() []clientv3.LeaseID {
	w.t.Helper()
	res, err := w.client.Leases(context.Background())
	if err != nil {
		w.t.Fatal(err)
	}
	var out []clientv3.LeaseID
	for _, l := range res.Leases {
		out = append(out, l.ID)
	}
	return out
}

// leaseOf is the etcd lease that a key is bound to.
func (w *world) leaseOf(key string) clientv3.LeaseID {
	w.t.Helper()
	res, err := w.client.Get(context.Background(), key)
	if err != nil || len(res.Kvs) != 1 {
		w.t.Fatalf("read %s: %v, %v", key, res, err)
	}
	return clientv3.LeaseID(res.Kvs[0].Lease)
}

// revoke ends a lease as its expiry would.
func (w *world) revoke(id clientv3.LeaseID) {
	w.t.Helper()
	if _, err := w.client.Revoke(context.Background(), id); err != nil {
		w.t.Fatal(err)
	}
}

// acquire fails the test unless the lock is granted.
func (w *world) acquire(l lock.Locker, key string, opts ...lock.Option) *etcdlock.Lease {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), 20*time.Second)
	defer cancel()
	lease, err := l.Acquire(ctx, key, opts...)
	if err != nil {
		w.t.Fatal(err)
	}
	return lease.(*etcdlock.Lease)
}

func (w *world) release(lease lock.Lease) {
	w.t.Helper()
	if err := lease.Release(context.Background()); err != nil {
		w.t.Fatal(err)
	}
}

// result is what an Acquire in the background came to.
type result struct {
	lease lock.Lease
	err   error
}

// enqueue starts an Acquire and returns once its key stands in the queue.
func (w *world) enqueue(ctx context.Context, l lock.Locker, key string, opts ...lock.Option) <-chan result {
	w.t.Helper()
	before := len(w.keys(key + "/"))
	out := make(chan result, 1)
	go func() {
		lease, err := l.Acquire(ctx, key, opts...)
		out <- result{lease, err}
	}()
	w.eventually("the waiter is in the queue", func() bool { return len(w.keys(key+"/")) > before })
	return out
}

// eventually waits until a condition holds.
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

// within waits for something that has to come within a time.
func within[T any](t testing.TB, d time.Duration, what string, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(d):
		t.Fatalf("not within %v: %s", d, what)
		panic("unreachable")
	}
}

// wire counts the requests of one client and lets a test interfere with them.
type wire struct {
	mu     sync.Mutex
	counts map[string]int
	unary  func(ctx context.Context, method string, send func(context.Context) error) error
	stream func(method string) error
}

func newWire() *wire { return &wire{counts: map[string]int{}} }

// options are to be given to the client.
func (w *wire) options() []grpc.DialOption {
	return []grpc.DialOption{
		grpc.WithChainUnaryInterceptor(w.onUnary),
		grpc.WithChainStreamInterceptor(w.onStream),
	}
}

// onSend installs f in the way of every request with one answer.
func (w *wire) onSend(f func(ctx context.Context, method string, send func(context.Context) error) error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.unary = f
}

// onOpen installs f in the way of every stream.
func (w *wire) onOpen(f func(method string) error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stream = f
}

// reset forgets the counts.
func (w *wire) reset() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.counts = map[string]int{}
}

// total is the number of requests answered, and streams opened, since reset.
func (w *wire) total() (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range w.counts {
		n += c
	}
	return n
}

func (w *wire) count(method string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.counts[method]++
}

// short makes "Txn" of "/etcdserverpb.KV/Txn".
func short(method string) string { return method[strings.LastIndexByte(method, '/')+1:] }

func (w *wire) onUnary(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
	defer w.count(short(method))
	send := func(ctx context.Context) error { return invoke(ctx, method, req, reply, cc, opts...) }
	w.mu.Lock()
	f := w.unary
	w.mu.Unlock()
	if f == nil {
		return send(ctx)
	}
	return f(ctx, short(method), send)
}

func (w *wire) onStream(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, open grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
	w.count(short(method))
	w.mu.Lock()
	f := w.stream
	w.mu.Unlock()
	if f != nil {
		if err := f(short(method)); err != nil {
			return nil, err
		}
	}
	return open(ctx, desc, cc, method, opts...)
}
