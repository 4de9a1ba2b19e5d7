package consul

import (
	"context"
	"testing"
	"time"

	"github.com/hashicorp/consul/api"
)

func startServer(t *testing.T, start func() (*Server, error)) (*Server, *api.Client) {
	t.Helper()
	srv, err := start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := srv.Close(); err != nil {
			t.Error(err)
		}
	})
	c, err := srv.Client()
	if err != nil {
		t.Fatal(err)
	}
	return srv, c
}

// The best of several starts counts: the bound is about the server, not about
// what else the machine is doing.
func TestServerStartsWithin50Milliseconds(t *testing.T) {
	best := time.Hour
	for range 5 {
		begin := time.Now()
		srv, c := startServer(t, func() (*Server, error) { return Start(Options{}) })
		if _, err := c.Status().Leader(); err != nil {
			t.Fatal(err)
		}
		best = min(best, time.Since(begin))
		if err := srv.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if best > 50*time.Millisecond {
		t.Errorf("start and first answer took %v", best)
	}
}

func TestCloseCutsBlockingQueries(t *testing.T) {
	srv, c := startServer(t, func() (*Server, error) { return Start(Options{}) })
	ended := make(chan error, 1)
	go func() {
		_, _, err := c.KV().Get("k", &api.QueryOptions{WaitIndex: 99})
		ended <- err
	}()
	untilWatched(srv.Store(), 1)
	if err := srv.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err == nil {
		t.Error("the blocked query was answered")
	}
}

func TestCancelledQueryEndsOnTheServerToo(t *testing.T) {
	srv, c := startServer(t, func() (*Server, error) { return Start(Options{}) })
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		_, _, err := c.KV().Get("k", (&api.QueryOptions{WaitIndex: 99}).WithContext(ctx))
		ended <- err
	}()
	untilWatched(srv.Store(), 1)
	cancel()
	<-ended
	untilWatched(srv.Store(), 0)
}

func TestRestartKeepsTheState(t *testing.T) {
	store := newStore(t, Options{})
	srv, c := startServer(t, func() (*Server, error) { return Serve(store, "127.0.0.1:0") })
	if _, err := c.KV().Put(&api.KVPair{Key: "k", Value: []byte("v")}, nil); err != nil {
		t.Fatal(err)
	}
	if err := srv.Close(); err != nil {
		t.Fatal(err)
	}
	if _, _, err := c.KV().Get("k", nil); err == nil {
		t.Fatal("the closed server answers")
	}
	_, c = startServer(t, func() (*Server, error) { return Serve(store, srv.Addr()) })
	e, _, err := c.KV().Get("k", nil)
	if err != nil || e == nil || string(e.Value) != "v" {
		t.Errorf("get after the restart = %v, %v", e, err)
	}
}

func TestServeReportsATakenPort(t *testing.T) {
	srv, _ := startServer(t, func() (*Server, error) { return Start(Options{}) })
	if second, err := Serve(srv.Store(), srv.Addr()); err == nil {
		_ = second.Close()
		t.Error("two servers on one port")
	}
}

// untilWatched waits until n reads are blocked.
func untilWatched(s *Store, n int) {
	look := time.NewTicker(time.Millisecond)
	defer look.Stop()
	for s.Blocked() != n {
		<-look.C
	}
}
