package etcd_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/goleak"

	"github.com/lockstep-sim/lockstep/impl/embedded/etcd"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func start(t *testing.T) *etcd.Server {
	t.Helper()
	s, err := etcd.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func connect(t *testing.T, s *etcd.Server) *clientv3.Client {
	t.Helper()
	c, err := s.NewClient()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func TestServesReadsAndWrites(t *testing.T) {
	c := connect(t, start(t))
	if _, err := c.Put(t.Context(), "k", "v"); err != nil {
		t.Fatal(err)
	}
	got, err := c.Get(t.Context(), "k")
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Kvs) != 1 || string(got.Kvs[0].Value) != "v" {
		t.Fatalf("read %v after writing k=v", got.Kvs)
	}
}

func TestStartsWithinTwoSeconds(t *testing.T) {
	begun := time.Now()
	start(t)
	if took := time.Since(begun); took > 2*time.Second {
		t.Errorf("start took %v, want at most 2s", took)
	} else {
		t.Logf("start took %v", took)
	}
}

func TestAdvertisesTheEndpointItServes(t *testing.T) {
	s := start(t)
	c := connect(t, s)
	if err := c.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := c.Endpoints(); len(got) != 1 || got[0] != s.Endpoint() {
		t.Fatalf("the member list says %v, the server is at %s", got, s.Endpoint())
	}
}

func TestGrantsTheDocumentedMinimumLease(t *testing.T) {
	c := connect(t, start(t))
	lease, err := c.Grant(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	if got := time.Duration(lease.TTL) * time.Second; got != etcd.MinTTL {
		t.Errorf("a lease of one second became %v, MinTTL says %v", got, etcd.MinTTL)
	}
}

func TestRestartKeepsDataAndEndpoint(t *testing.T) {
	s := start(t)
	c := connect(t, s)
	if _, err := c.Put(t.Context(), "k", "v"); err != nil {
		t.Fatal(err)
	}
	before := s.Endpoint()
	if err := s.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s.Endpoint() != before {
		t.Errorf("endpoint moved from %s to %s", before, s.Endpoint())
	}
	got, err := c.Get(t.Context(), "k")
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Kvs) != 1 {
		t.Fatal("the key is gone after a restart")
	}
}

func TestStopUnderAnOpenWatchIsQuick(t *testing.T) {
	s := start(t)
	c := connect(t, s)
	events := c.Watch(t.Context(), "k", clientv3.WithCreatedNotify())
	<-events
	begun := time.Now()
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(begun); took > 2*time.Second {
		t.Errorf("stop took %v with a watch open", took)
	}
}

func TestWatchSurvivesARestart(t *testing.T) {
	s := start(t)
	c := connect(t, s)
	events := c.Watch(t.Context(), "k", clientv3.WithCreatedNotify())
	<-events
	if err := s.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Put(t.Context(), "k", "v"); err != nil {
		t.Fatal(err)
	}
	if got := <-events; len(got.Events) != 1 {
		t.Fatalf("after the restart the watch said %+v, want the one event", got)
	}
}

func TestCloseRemovesTheDataAndEndsUse(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	s := start(t)
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) != 1 {
		t.Fatalf("running server has folders %v, want one", left)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 0 {
		t.Errorf("left behind after Close: %v, %v", left, err)
	}
	if err := s.Restart(t.Context()); !errors.Is(err, etcd.ErrClosed) {
		t.Errorf("Restart after Close = %v, want ErrClosed", err)
	}
	if err := s.Stop(); !errors.Is(err, etcd.ErrClosed) {
		t.Errorf("Stop after Close = %v, want ErrClosed", err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("second Close = %v", err)
	}
}

func TestStartHeedsItsContext(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if s, err := etcd.Start(ctx); !errors.Is(err, context.Canceled) {
		if s != nil {
			s.Close()
		}
		t.Fatalf("Start with an ended context = %v, want context.Canceled", err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("a start that failed left %v", left)
	}
}

func BenchmarkStart(b *testing.B) {
	for b.Loop() {
		s, err := etcd.Start(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		s.Close()
	}
}
