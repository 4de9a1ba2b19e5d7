package realserver_test

import (
	"net"
	"testing"

	"go.uber.org/goleak"

	"github.com/lockstep-sim/lockstep/internal/realserver"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func dialable(addr string) bool {
	c, err := net.Dial("tcp", addr)
	if err != nil {
		return false
	}
	return c.Close() == nil
}

func TestRedisIsReachableUntilItIsKilled(t *testing.T) {
	s := realserver.Redis(t)
	if !dialable(s.Addr()) {
		t.Fatalf("nothing listens on %s", s.Addr())
	}
	s.Kill()
	if dialable(s.Addr()) {
		t.Fatalf("something still listens on %s after Kill", s.Addr())
	}
	before := s.Addr()
	s.Restart(t)
	if s.Addr() != before || !dialable(before) {
		t.Fatalf("after Restart the server is at %s, reachable %v; it was at %s", s.Addr(), dialable(s.Addr()), before)
	}
}

func TestRedisEndsWithItsTest(t *testing.T) {
	var addr string
	t.Run("user", func(t *testing.T) { addr = realserver.Redis(t).Addr() })
	if addr == "" {
		t.Skip("no server was started")
	}
	if dialable(addr) {
		t.Errorf("a server outlived its test on %s", addr)
	}
}
