package zkconn

import (
	"context"
	"errors"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lockstep-sim/lockstep/impl/embedded/zk"
	"github.com/lockstep-sim/lockstep/impl/lock"
)

func TestDialRefusesWhatCannotWork(t *testing.T) {
	for name, cfg := range map[string]Config{
		"no server":            {},
		"timeout below a ping": {Servers: []string{"x"}, SessionTimeout: time.Millisecond},
		"negative timeout":     {Servers: []string{"x"}, SessionTimeout: -time.Second},
		"negative dial":        {Servers: []string{"x"}, DialTimeout: -1},
		"auth without a colon": {Servers: []string{"x"}, Auth: "secret"},
	} {
		_, err := Dial(t.Context(), cfg)
		if !errors.Is(err, lock.ErrInvalid) {
			t.Errorf("%s: %v, want ErrInvalid", name, err)
		}
		if strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: the error tells the password: %v", name, err)
		}
	}
}

func TestDialFailsAtOnceWhenEveryServerRefuses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		refused := errors.New("refused")
		var asked []string
		before := time.Now()
		_, err := Dial(t.Context(), Config{
			Servers: []string{"127.0.0.1:1", "127.0.0.1:2", "127.0.0.1"},
			Dialer: func(_, address string, _ time.Duration) (net.Conn, error) {
				asked = append(asked, address)
				return nil, refused
			},
		})
		if !errors.Is(err, ErrDisconnected) || !errors.Is(err, refused) {
			t.Errorf("error %v, want the lost connection and the reason", err)
		}
		if len(asked) < 3 || !strings.Contains(strings.Join(asked, " "), "127.0.0.1:2181") {
			t.Errorf("servers asked: %v, want all of them, the default port included", asked)
		}
		if after := time.Since(before); after > 2*time.Second {
			t.Errorf("failed after %v", after)
		}
	})
}

func TestDialEndsWithItsTimeoutOrContext(t *testing.T) {
	silent := func(string, string, time.Duration) (net.Conn, error) {
		c, _ := net.Pipe()
		return c, nil
	}
	synctest.Test(t, func(t *testing.T) {
		before := time.Now()
		_, err := Dial(t.Context(), Config{Servers: []string{"127.0.0.1"}, DialTimeout: 3 * time.Second, Dialer: silent})
		if !errors.Is(err, ErrDisconnected) {
			t.Errorf("error %v, want ErrDisconnected", err)
		}
		// Closing the client takes time of its own.
		if after := time.Since(before); after < 3*time.Second {
			t.Errorf("failed after %v", after)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := Dial(ctx, Config{Servers: []string{"127.0.0.1"}, Dialer: silent})
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v, want that of the context", err)
		}
	})
}

func TestDialOfAnUnknownHost(t *testing.T) {
	if _, err := Dial(t.Context(), Config{Servers: []string{"host.invalid:2181"}}); err == nil {
		t.Error("an unknown host was dialled")
	}
}

// inBubble runs a test with a server and a client in virtual time.
func inBubble(t *testing.T, f func(t *testing.T, srv *zk.Server, link *zk.Link, c *Client)) {
	synctest.Test(t, func(t *testing.T) {
		srv := zk.InMemory(zk.Options{})
		t.Cleanup(func() { _ = srv.Close() })
		link := srv.NewLink()
		c, err := Dial(t.Context(), Config{Servers: []string{"127.0.0.1"}, Dialer: link.Dial})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(c.Close)
		f(t, srv, link, c)
	})
}

func TestSessionIsWhatTheServerGranted(t *testing.T) {
	inBubble(t, func(t *testing.T, srv *zk.Server, link *zk.Link, c *Client) {
		got, want := c.Session(), srv.Machine().Sessions()[0]
		if got.ID != want.ID || got.Timeout != want.Timeout {
			t.Errorf("session %+v, on the server %+v", got, want)
		}
		var ended, times atomic.Int64
		stop := c.OnSessionEnd(func(id int64) {
			ended.Store(id)
			times.Add(1)
		})
		link.Cut()
		time.Sleep(time.Second)
		if times.Load() != 0 || c.Session() != got {
			t.Errorf("after a reconnect: ended %#x, session %+v", ended.Load(), c.Session())
		}
		srv.Machine().ExpireSession(got.ID)
		time.Sleep(5 * time.Second)
		if times.Load() != 1 || ended.Load() != got.ID || c.Session().ID == got.ID {
			t.Errorf("after the expiry: ended %#x, session %+v", ended.Load(), c.Session())
		}
		stop()
		c.Close()
		if times.Load() != 1 {
			t.Errorf("told after stop: %#x", ended.Load())
		}
	})
}

func TestCloseEndsTheSessionAndTellsIt(t *testing.T) {
	inBubble(t, func(t *testing.T, srv *zk.Server, _ *zk.Link, c *Client) {
		var told atomic.Bool
		c.OnSessionEnd(func(int64) { told.Store(true) })
		c.Close()
		if len(srv.Machine().Sessions()) != 0 || !told.Load() || c.Session().ID != 0 {
			t.Errorf("sessions %v, told %v, own %+v", srv.Machine().Sessions(), told.Load(), c.Session())
		}
		if err := c.Sync(t.Context(), "/"); !errors.Is(err, ErrClosed) || !errors.Is(err, lock.ErrClosed) {
			t.Errorf("request after Close: %v, want ErrClosed", err)
		}
		c.Close()
	})
}
