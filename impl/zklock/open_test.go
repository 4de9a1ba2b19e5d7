package zklock_test

import (
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/lockstep-sim/lockstep/impl/embedded/zk"
	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/impl/zklock"
	"github.com/lockstep-sim/lockstep/impl/zklock/zkconn"
	"github.com/lockstep-sim/lockstep/internal/realserver"
)

func TestOpenTakesTheServersThePathAndTheTimeout(t *testing.T) {
	srv := must(zk.Listen(zk.Options{}))
	t.Cleanup(func() { _ = srv.Close() })
	dead := deadAddr(t)
	m, err := zklock.Open(t.Context(), "zk://user:p%40ss@"+dead+","+srv.Addr()+","+dead+"/app/locks?timeout=7s")
	if err != nil {
		t.Fatal(err)
	}
	lease, err := m.Acquire(t.Context(), "k")
	if err != nil {
		t.Fatal(err)
	}
	if got := srv.Machine().Sessions()[0].Timeout; got != 7*time.Second {
		t.Errorf("session timeout %v, want 7s", got)
	}
	found := false
	for _, n := range srv.Machine().Tree() {
		found = found || strings.HasPrefix(n.Path, "/app/locks/k/_c_")
	}
	if !found {
		t.Errorf("no node below /app/locks/k: %v", srv.Machine().Tree())
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	if !errors.Is(lease.Err(), lock.ErrClosed) || len(srv.Machine().Sessions()) != 0 {
		t.Errorf("after Close: lease %v, sessions %v", lease.Err(), srv.Machine().Sessions())
	}
}

func TestOpenRefusesABadURL(t *testing.T) {
	for _, url := range []string{
		"", "zk", "zk://", "redis://host", "zk:///path", "zk://a,,b", "zk://host:port", "zk://host:99999",
		"zk://:2181", "zk://host?timeout=x", "zk://host?timeout=0s", "zk://host?timeout=1ms", "zk://host?ttl=1s",
		"zk://host/a//b", "zk://host/a b", "zk://host/..", "zk://host#x", "zk://user:secret@host:x/",
	} {
		_, err := zklock.Open(t.Context(), url)
		if !errors.Is(err, lock.ErrInvalid) {
			t.Errorf("%q: %v, want ErrInvalid", url, err)
		}
		if err != nil && (strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "\n")) {
			t.Errorf("%q: not a fit error: %v", url, err)
		}
	}
}

func TestOpenOfAServerThatIsNotThere(t *testing.T) {
	before := time.Now()
	_, err := zklock.Open(t.Context(), "zk://"+deadAddr(t))
	if !errors.Is(err, zkconn.ErrDisconnected) || time.Since(before) > 4*time.Second {
		t.Errorf("after %v: %v, want ErrDisconnected at once", time.Since(before), err)
	}
}

func TestNewRefusesWhatCannotWork(t *testing.T) {
	srv := zk.InMemory(zk.Options{})
	t.Cleanup(func() { _ = srv.Close() })
	conn := must(zkconn.Dial(t.Context(), zkconn.Config{Servers: []string{"127.0.0.1"}, Dialer: srv.Dial}))
	t.Cleanup(conn.Close)
	for name, err := range map[string]error{
		"no client":          second(zklock.New(nil, zklock.Config{})),
		"relative base":      second(zklock.New(conn, zklock.Config{Base: "locks"})),
		"base of the root":   second(zklock.New(conn, zklock.Config{Base: "/"})),
		"dots in the base":   second(zklock.New(conn, zklock.Config{Base: "/a/.."})),
		"negative timeout":   second(zklock.New(conn, zklock.Config{RequestTimeout: -1})),
		"read-write, client": second(zklock.NewReadWrite(nil, zklock.Config{})),
	} {
		if !errors.Is(err, lock.ErrInvalid) {
			t.Errorf("%s: %v, want ErrInvalid", name, err)
		}
	}
}

// The embedded server keeps access control lists and enforces none.
func TestNodesOfAnotherUserAreRefusedOnTheRealServer(t *testing.T) {
	srv := realserver.ZooKeeper(t)
	open := func(user string) *zklock.Owned {
		m, err := zklock.Open(t.Context(), "zk://"+user+"@"+srv.Addr()+"/locks")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = m.Close() })
		return m
	}
	lease, err := open("me:right").Acquire(t.Context(), "k")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := open("me:wrong").Acquire(t.Context(), "k"); !errors.Is(err, zkconn.ErrRefused) {
		t.Errorf("with a wrong password: %v, want ErrRefused", err)
	}
	if err := lease.Release(t.Context()); err != nil {
		t.Error(err)
	}
}

// deadAddr is an address at which nobody listens.
func deadAddr(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}
