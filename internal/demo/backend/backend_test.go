package backend

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/lockstep-sim/lockstep/impl/embedded/redisd"
	"github.com/lockstep-sim/lockstep/impl/lock"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func open(t *testing.T, target string, ttl time.Duration) *Backend {
	t.Helper()
	b, err := Open(t.Context(), target, ttl)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Errorf("Close = %v", err)
		}
	})
	return b
}

func connect(t *testing.T, b *Backend) lock.Locker {
	t.Helper()
	l, err := b.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func acquire(t *testing.T, l lock.Locker) lock.Lease {
	t.Helper()
	lease, err := l.Acquire(t.Context(), "k")
	if err != nil {
		t.Fatal(err)
	}
	return lease
}

// TestEmbedded shows that two clients of a backend exclude each other, and that
// requests and renewals are counted.
func TestEmbedded(t *testing.T) {
	requests := map[string]int64{"consul": 2, "etcd": 2, "redis": 2, "sqlite": 2, "zk": 3}
	for _, name := range Names() {
		t.Run(name, func(t *testing.T) {
			b := open(t, name, time.Second)
			first, second := connect(t, b), connect(t, b)
			if err := acquire(t, first).Release(t.Context()); err != nil {
				t.Fatal(err) // the first grant also sets things up
			}
			before := b.Traffic()
			if err := acquire(t, first).Release(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := b.Traffic().Requests - before.Requests; got != requests[name] {
				t.Errorf("lock and unlock are %d requests, want %d", got, requests[name])
			}
			lease := acquire(t, first)
			if _, err := second.TryAcquire(t.Context(), "k"); !errors.Is(err, lock.ErrNotAcquired) {
				t.Errorf("the second client: %v", err)
			}
			eventually(t, "a renewal", func() bool { return b.Traffic().Renewals > before.Renewals })
			if err := lease.Release(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

// eventually waits in real time, which is that of the servers.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	limit := time.After(10 * time.Second)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-limit:
			t.Fatalf("no %s within 10 s", what)
		}
	}
}

func TestURL(t *testing.T) {
	server, err := redisd.Listen()
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	b := open(t, server.URL()+"?fencing=true", 2*time.Second)
	if b.Counts || b.Name != server.URL() {
		t.Errorf("%+v", b)
	}
	lease := acquire(t, connect(t, b))
	if left := time.Until(lease.Deadline()); left > 2*time.Second || left < time.Second {
		t.Errorf("the lease lasts for %v, want the 2 s that were asked for", left)
	}
	if _, ok := lease.Token(); !ok {
		t.Error("the parameter of the URL has been lost")
	}
	if err := lease.Release(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestWhatCannotBeOpened(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0") // accepts and says nothing
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	silent := listener.Addr().String()
	for _, tt := range []struct {
		target  string
		ttl     time.Duration
		want    string
		invalid bool
	}{
		{"redid", 0, `unknown backend "redid": did you mean "redis"?`, true},
		{"embedded:redid", 0, `unknown backend "redid": did you mean "redis"?`, true},
		{"oracle", 0, `unknown backend "oracle": there are consul, etcd, redis, sqlite, zk, or a URL such as redis://localhost:6379`, true},
		{"", 0, `unknown backend "": there are`, true},
		{"oracle://host", 0, `unknown scheme "oracle"`, true},
		{"redis://u:secret@host:port", 0, "is not host or host:port", true},
		{"etcd", 1500 * time.Millisecond, "TTL 1.5s: etcd leases last whole seconds", true},
		{"consul", time.Millisecond, "TTL 1ms is not between 1s and 24h", true},
		{"redis://localhost?ttl=1s", time.Second, "parameter ttl is given 2 times", true},
		{"redis://u:secret@" + silent + "?dial=50ms", 0, "lock: open redis://" + silent + ": ", false},
	} {
		t.Run(tt.target, func(t *testing.T) {
			b, err := Open(t.Context(), tt.target, tt.ttl)
			if err == nil {
				defer b.Close()
				_, err = b.Connect(context.Background())
			}
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("error %v, want %q", err, tt.want)
			}
			if errors.Is(err, lock.ErrInvalid) != tt.invalid {
				t.Errorf("%v: is lock.ErrInvalid: %v", err, !tt.invalid)
			}
			if strings.ContainsAny(err.Error(), "\n") || strings.Contains(err.Error(), "secret") {
				t.Errorf("error %q", err)
			}
		})
	}
}

func TestAllIsClosedAndTheFirstErrorTold(t *testing.T) {
	first, second := errors.New("first"), errors.New("second")
	var order []string
	b := &Backend{}
	b.close.add(func() error { order = append(order, "server"); return second })
	b.close.add(func() error { order = append(order, "client"); return first })
	if err := b.Close(); err != first || strings.Join(order, " ") != "client server" {
		t.Errorf("Close = %v after %v", err, order)
	}
	if err := b.Close(); err != nil || len(order) != 2 {
		t.Errorf("closing again = %v after %v", err, order)
	}
}
