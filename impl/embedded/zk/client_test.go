package zk_test

import (
	"testing"
	"time"

	client "github.com/go-zookeeper/zk"

	"github.com/lockstep-sim/lockstep/impl/embedded/zk"
)

type quiet struct{}

func (quiet) Printf(string, ...any) {}

// connect opens a session of the unmodified client over a link. It is closed at
// the end of the test.
func connect(t testing.TB, link *zk.Link, timeout time.Duration) (*client.Conn, <-chan client.Event) {
	t.Helper()
	c, events, err := client.Connect([]string{"127.0.0.1:1"}, timeout,
		client.WithDialer(link.Dial), client.WithLogger(quiet{}), client.WithLogInfo(false))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	waitState(t, events, client.StateHasSession)
	return c, events
}

// waitState reads session events until the wanted one.
func waitState(t testing.TB, events <-chan client.Event, want client.State) {
	t.Helper()
	for e := range events {
		if e.Type == client.EventSession && e.State == want {
			return
		}
	}
	t.Fatalf("the client closed its events before state %v", want)
}

func create(t testing.TB, c *client.Conn, path string, flags int32) string {
	t.Helper()
	got, err := c.Create(path, nil, flags, client.WorldACL(client.PermAll))
	if err != nil {
		t.Fatalf("create %s: %v", path, err)
	}
	return got
}
