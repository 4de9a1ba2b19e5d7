package consullock

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/consul/api"

	"github.com/lockstep-sim/lockstep/impl/embedded/consul"
)

// The defaults that Config documents.
const (
	ttl            = 15 * time.Second
	lockDelay      = 15 * time.Second
	delayPoll      = time.Second
	requestTimeout = 3 * time.Second
)

// pause is the time between two looks that led to nothing.
const pause = 100 * time.Millisecond

// The kinds of request, as a test names them.
const (
	create  = "create"
	renew   = "renew"
	destroy = "destroy"
	take    = "lock"
	free    = "unlock"
	read    = "read"  // does not wait
	watch   = "watch" // waits for an index
)

var errCut = errors.New("connection cut")

// network is the way from one process to the server. It counts the requests and
// does to them what the faults say.
type network struct {
	server  http.RoundTripper
	latency time.Duration // of each direction

	mu     sync.Mutex
	sent   []string
	faults []*fault
	down   bool
}

// fault happens to the next request of a kind. Nil functions do nothing.
type fault struct {
	kind  string
	times int // how often; 0 means once
	// before runs before the server sees the request. An error means that it
	// never does.
	before func(context.Context) error
	// after runs after the server has carried it out. An error means that the
	// answer is lost.
	after func(context.Context) error
	// answer changes the answer of the server.
	answer func(*http.Response)
	// instead answers in place of the server.
	instead func() *http.Response
	// late keeps the request on its way: the server sees it when late is
	// closed, whatever has become of the caller. Arrived gets the status.
	late    <-chan struct{}
	arrived chan<- int
}

func (n *network) RoundTrip(r *http.Request) (*http.Response, error) {
	kind, r := kindOf(r)
	f, down := n.next(kind)
	if down {
		return nil, hang(r.Context())
	}
	if f.late != nil {
		go n.deliver(r.WithContext(context.WithoutCancel(r.Context())), f)
		return nil, hang(r.Context())
	}
	if err := steps(r.Context(), n.wait, f.before); err != nil {
		return nil, err
	}
	if f.instead != nil {
		return f.instead(), nil
	}
	answer, err := n.server.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if f.answer != nil {
		f.answer(answer)
	}
	if err := steps(r.Context(), f.after, n.wait); err != nil {
		return nil, err
	}
	return answer, nil
}

// deliver brings a late request to the server.
func (n *network) deliver(r *http.Request, f fault) {
	<-f.late
	answer, err := n.server.RoundTrip(r)
	if err != nil {
		f.arrived <- 0
		return
	}
	f.arrived <- answer.StatusCode
}

func (n *network) wait(ctx context.Context) error {
	if n.latency == 0 {
		return nil
	}
	select {
	case <-time.After(n.latency):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// steps runs what is not nil up to the first error.
func steps(ctx context.Context, list ...func(context.Context) error) error {
	for _, f := range list {
		if f == nil {
			continue
		}
		if err := f(ctx); err != nil {
			return err
		}
	}
	return nil
}

// next records a request and returns what shall happen to it.
func (n *network) next(kind string) (fault, bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.sent = append(n.sent, kind)
	for i, f := range n.faults {
		if f.kind != kind {
			continue
		}
		if f.times--; f.times <= 0 {
			n.faults = slices.Delete(n.faults, i, i+1)
		}
		return *f, n.down
	}
	return fault{}, n.down
}

func (n *network) inject(f fault) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.faults = append(n.faults, &f)
}

// setDown makes every packet disappear from now on, or no longer.
func (n *network) setDown(down bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.down = down
}

// requests returns the kinds of the requests since the last call.
func (n *network) requests() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	sent := n.sent
	n.sent = nil
	return sent
}

// cut loses a request or an answer at once, as a broken connection does.
func cut(context.Context) error { return errCut }

// hang loses it without a word: only the caller's patience ends it.
func hang(ctx context.Context) error {
	<-ctx.Done()
	return ctx.Err()
}

// kindOf names a request. It returns a request that can be sent instead of the
// one that it read.
func kindOf(r *http.Request) (string, *http.Request) {
	path := strings.TrimPrefix(r.URL.Path, "/v1/")
	switch {
	case strings.HasPrefix(path, "session/"):
		return strings.Split(path, "/")[1], r
	case r.URL.Query().Has("index"):
		return watch, r
	case path != "txn":
		return read, r
	}
	body, _ := io.ReadAll(r.Body)
	r = r.Clone(r.Context())
	r.Body = io.NopCloser(bytes.NewReader(body))
	if bytes.Contains(body, []byte(`"lock"`)) {
		return take, r
	}
	return free, r
}

// process is one program that uses the lock: a network and a Mutex.
type process struct {
	*Mutex
	net *network
}

// newStore makes a server state that the test closes.
func newStore(t testing.TB) *consul.Store {
	t.Helper()
	store := consul.NewStore(consul.Options{Jitter: func(time.Duration) time.Duration { return 0 }})
	t.Cleanup(store.Close)
	return store
}

// newClient makes a client of the store on a network of its own.
func newClient(t testing.TB, store *consul.Store) (*api.Client, *network) {
	t.Helper()
	n := &network{server: consul.Transport(store)}
	client, err := api.NewClient(&api.Config{HttpClient: &http.Client{Transport: n}})
	if err != nil {
		t.Fatal(err)
	}
	return client, n
}

// newProcess makes a process that the test closes.
func newProcess(t testing.TB, store *consul.Store, cfg Config) process {
	t.Helper()
	client, n := newClient(t, store)
	m, err := New(client, cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		n.setDown(false)
		if err := m.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return process{m, n}
}
