package consullock

import (
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/consul/api"

	"github.com/lockstep-sim/lockstep/impl/embedded/consul"
	"github.com/lockstep-sim/lockstep/impl/lock"
)

// serve starts a server on a loopback port, over a state that outlives it.
func serve(t testing.TB, store *consul.Store, addr string) *consul.Server {
	t.Helper()
	srv, err := consul.Serve(store, addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = srv.Close() })
	return srv
}

func clientOf(t testing.TB, srv *consul.Server) *api.Client {
	t.Helper()
	client, err := srv.Client()
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func mutexOn(t testing.TB, srv *consul.Server, cfg Config) *Mutex {
	t.Helper()
	m, err := New(clientOf(t, srv), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.Close() })
	return m
}

func TestContendersOverTCPLoseNoUpdate(t *testing.T) {
	srv := serve(t, newStore(t), "127.0.0.1:0")
	var counter int
	var workers sync.WaitGroup
	for range 3 {
		m := mutexOn(t, srv, Config{})
		for range 2 {
			workers.Go(func() {
				for range 20 {
					lease := mustAcquire(t, m, "k")
					counter++
					mustRelease(t, lease)
				}
			})
		}
	}
	workers.Wait()
	if counter != 120 {
		t.Errorf("counter = %d, want 120", counter)
	}
}

func TestLeaseAndWaiterSurviveARestartOfTheServer(t *testing.T) {
	store := newStore(t)
	srv := serve(t, store, "127.0.0.1:0")
	a, b := mutexOn(t, srv, Config{}), mutexOn(t, srv, Config{})
	lease := mustAcquire(t, a, "k")
	type result struct {
		lock.Lease
		err error
	}
	got := make(chan result)
	go func() {
		l, err := b.Acquire(background, "k")
		got <- result{l, err}
	}()
	untilBlocked(store, 1)
	if err := srv.Close(); err != nil {
		t.Fatal(err)
	}
	serve(t, store, srv.Addr())
	mustRelease(t, lease)
	r := <-got
	if r.err != nil {
		t.Fatal(r.err)
	}
	mustRelease(t, r)
	if e := keyAt(t, store, "k"); e != nil {
		t.Errorf("the key was left behind: %+v", e)
	}
}

func TestUnreachableServerIsToldAtOnce(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	client, err := api.NewClient(&api.Config{Address: addr})
	if err != nil {
		t.Fatal(err)
	}
	m, err := New(client, Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	start := time.Now()
	_, err = m.Acquire(background, "k")
	if !errors.Is(err, lock.ErrNotAcquired) || errors.Is(err, lock.ErrUnknownOutcome) {
		t.Errorf("error = %v, want ErrNotAcquired", err)
	}
	if !strings.Contains(err.Error(), addr) || strings.Contains(err.Error(), "\n") {
		t.Errorf("error = %q, want one line that names %s", err, addr)
	}
	if d := time.Since(start); d > requestTimeout {
		t.Errorf("told after %v", d)
	}
}

// untilBlocked waits until n blocking queries wait for news of the store.
func untilBlocked(store *consul.Store, n int) {
	look := time.NewTicker(time.Millisecond)
	defer look.Stop()
	for store.Blocked() != n {
		<-look.C
	}
}

func TestAnswerOfTheServerThatSaysNoIsFinal(t *testing.T) {
	for name, tc := range map[string]struct {
		status  int
		body    string
		unknown bool // so the key is looked at
	}{
		"denied":              {http.StatusForbidden, "Permission denied", false},
		"denied in the parts": {http.StatusConflict, `{"Errors":[{"OpIndex":0,"What":"Permission denied"}]}`, false},
		"unreadable reason":   {http.StatusConflict, "<html>", false},
		"no leader":           {http.StatusInternalServerError, "No cluster leader", true},
		"nonsense":            {http.StatusOK, "{}", true},
	} {
		t.Run(name, func(t *testing.T) {
			a := newProcess(t, newStore(t), Config{})
			mustRelease(t, mustAcquire(t, a, "warm-up"))
			a.net.requests()
			// The request is lost, and somebody answers in place of the server.
			a.net.inject(fault{kind: take, instead: func() *http.Response {
				return &http.Response{StatusCode: tc.status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(tc.body))}
			}})
			_, err := a.Acquire(background, "k")
			if !errors.Is(err, lock.ErrNotAcquired) || errors.Is(err, lock.ErrUnknownOutcome) {
				t.Errorf("error = %v, want ErrNotAcquired", err)
			}
			if got := a.net.requests(); slices.Contains(got, read) != tc.unknown {
				t.Errorf("requests = %q, want a look: %v", got, tc.unknown)
			}
			mustRelease(t, mustAcquire(t, a, "k"))
		})
	}
}
