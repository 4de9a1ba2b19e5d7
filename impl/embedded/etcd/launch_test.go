package etcd

import (
	"errors"
	"net"
	"syscall"
	"testing"
)

// The repetition of a start hangs on this error being recognisable through
// everything that etcd wraps around it.
func TestATakenPortIsRecognised(t *testing.T) {
	client, peer, err := freeURLs()
	if err != nil {
		t.Fatal(err)
	}
	taken, err := net.Listen("tcp", client.Host)
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	run, err := launch(t.Context(), t.TempDir(), client, peer)
	if run != nil {
		run.stop()
	}
	if !errors.Is(err, syscall.EADDRINUSE) {
		t.Fatalf("launch on a taken port = %v, want EADDRINUSE", err)
	}
}
