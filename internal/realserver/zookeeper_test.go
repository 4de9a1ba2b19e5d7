package realserver_test

import (
	"testing"

	"github.com/lockstep-sim/lockstep/internal/realserver"
)

func TestZooKeeperIsReachableUntilItIsKilled(t *testing.T) {
	s := realserver.ZooKeeper(t)
	before := s.Addr()
	if !dialable(before) {
		t.Fatalf("nothing listens on %s", before)
	}
	s.Kill()
	if dialable(before) {
		t.Fatalf("something still listens on %s after Kill", before)
	}
	s.Restart(t)
	if s.Addr() != before || !dialable(before) {
		t.Fatalf("after Restart the server is at %s, reachable %v; it was at %s", s.Addr(), dialable(s.Addr()), before)
	}
}
