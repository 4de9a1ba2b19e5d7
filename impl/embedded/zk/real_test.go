package zk_test

import (
	"testing"

	"github.com/lockstep-sim/lockstep/internal/realserver"
)

// realServer starts Apache ZooKeeper for this test, or skips it.
func realServer(t testing.TB) string { return realserver.ZooKeeper(t).Addr() }
