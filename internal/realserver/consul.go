package realserver

import (
	"os/exec"
	"testing"

	"github.com/hashicorp/consul/sdk/testutil"
)

// ConsulServer is a running Consul: one agent in server mode, alone.
type ConsulServer struct{ server *testutil.TestServer }

// Consul starts a Consul for the length of a test and waits until it has elected
// itself. Distributions do not package Consul any more, so a test without it is
// skipped even where the other servers are required.
//
// The library that starts it keeps a goroutine, freeport.checkFreedPorts, which
// a test for leaks has to ignore.
func Consul(t testing.TB) *ConsulServer {
	t.Helper()
	if _, err := exec.LookPath("consul"); err != nil {
		t.Skip("needs a real Consul: no consul on PATH")
	}
	server, err := testutil.NewTestServerConfigT(t, func(c *testutil.TestServerConfig) {
		c.LogLevel = "warn"
		c.Connect, c.Peering = nil, nil // services, of which there are none
	})
	if err != nil {
		t.Fatalf("consul: %v", err)
	}
	t.Cleanup(func() {
		if err := server.Stop(); err != nil {
			t.Logf("consul: stop: %v", err)
		}
	})
	server.WaitForLeader(t)
	server.WaitForSerfCheck(t)
	return &ConsulServer{server}
}

// Addr is the host and port of the HTTP API.
func (s *ConsulServer) Addr() string { return s.server.HTTPAddr }
