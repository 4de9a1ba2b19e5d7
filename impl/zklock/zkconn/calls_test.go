package zkconn

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lockstep-sim/lockstep/impl/embedded/zk"
	"github.com/lockstep-sim/lockstep/impl/embedded/zk/state"
)

func TestRequestsAndTheirErrors(t *testing.T) {
	inBubble(t, func(t *testing.T, _ *zk.Server, _ *zk.Link, c *Client) {
		ctx := t.Context()
		if _, err := c.Create(ctx, "/p", Persistent); err != nil {
			t.Fatal(err)
		}
		n, err := c.Create(ctx, "/p/n-", EphemeralSequential)
		if err != nil || n.Path != "/p/n-0000000000" {
			t.Fatalf("created %+v, %v", n, err)
		}
		read, err := c.Get(ctx, n.Path)
		if err != nil || read.Czxid != n.Czxid || read.Owner != c.Session().ID || n.Czxid == 0 {
			t.Errorf("read %+v, %v; created %+v in session %#x", read, err, n, c.Session().ID)
		}
		for name, got := range map[string]struct{ err, want error }{
			"create again":        {second(c.Create(ctx, "/p", Persistent)), ErrNodeExists},
			"create, no parent":   {second(c.Create(ctx, "/q/n-", EphemeralSequential)), ErrNoNode},
			"delete with child":   {c.Delete(ctx, "/p"), ErrNotEmpty},
			"delete nothing":      {c.Delete(ctx, "/q"), ErrNoNode},
			"get nothing":         {second(c.Get(ctx, "/q")), ErrNoNode},
			"set nothing":         {c.Set(ctx, "/q", nil), ErrNoNode},
			"list nothing":        {second(c.Children(ctx, "/q")), ErrNoNode},
			"not a path":          {second(c.Get(ctx, "q")), ErrRefused},
			"child of ephemeral":  {second(c.Create(ctx, n.Path+"/x", Persistent)), ErrRefused},
			"delete of the root":  {c.Delete(ctx, "/"), ErrRefused},
			"watch nothing":       {third(c.Watch(ctx, "/q", func() {})), ErrNoNode},
			"watch names nowhere": {third(c.WatchChildren(ctx, "/q", func() {})), ErrNoNode},
			"sync of anything":    {c.Sync(ctx, "/q"), nil},
		} {
			if !errors.Is(got.err, got.want) {
				t.Errorf("%s: %v, want %v", name, got.err, got.want)
			}
		}
	})
}

func TestRequestEndsWithItsContext(t *testing.T) {
	inBubble(t, func(t *testing.T, _ *zk.Server, link *zk.Link, c *Client) {
		link.Partition()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		before := time.Now()
		err := c.Sync(ctx, "/")
		if !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, ErrDisconnected) || time.Since(before) != time.Second {
			t.Errorf("after %v: %v, want the end of the context", time.Since(before), err)
		}
		// The connection is given up after two thirds of the session timeout.
		if err := c.Sync(context.WithoutCancel(ctx), "/"); !errors.Is(err, ErrDisconnected) {
			t.Errorf("without a context to end it: %v, want ErrDisconnected", err)
		}
		link.Heal()
	})
}

func TestWatchFiresOnceAndNotAfterItsEnd(t *testing.T) {
	inBubble(t, func(t *testing.T, _ *zk.Server, _ *zk.Link, c *Client) {
		ctx := t.Context()
		mustCreate(t, c, "/p")
		var fired, withdrawn, names atomic.Int32
		_, stop, err := c.Watch(ctx, "/p", func() { fired.Add(1) })
		if err != nil {
			t.Fatal(err)
		}
		defer stop()
		_, stop, err = c.Watch(ctx, "/p", func() { withdrawn.Add(1) })
		if err != nil {
			t.Fatal(err)
		}
		stop()
		_, stop, err = c.WatchChildren(ctx, "/p", func() { names.Add(1) })
		if err != nil {
			t.Fatal(err)
		}
		defer stop()
		for range 2 {
			if err := c.Set(ctx, "/p", []byte("x")); err != nil {
				t.Fatal(err)
			}
		}
		mustCreate(t, c, "/p/q")
		synctest.Wait()
		if fired.Load() != 1 || withdrawn.Load() != 0 || names.Load() != 1 {
			t.Errorf("fired %d, withdrawn fired %d, names fired %d; want 1, 0, 1", fired.Load(), withdrawn.Load(), names.Load())
		}
	})
}

// The client library keeps a channel for every watch until the node changes. A
// node that is watched and given up a thousand times must not cost a thousand.
func TestGivenUpWatchIsTakenOverByTheNext(t *testing.T) {
	inBubble(t, func(t *testing.T, srv *zk.Server, _ *zk.Link, c *Client) {
		mustCreate(t, c, "/p")
		var watches, fired atomic.Int32
		srv.SetFault(func(_ int64, r state.Request) zk.Action {
			if r.Watch {
				watches.Add(1)
			}
			return zk.Pass
		})
		for range 100 {
			_, stop, err := c.Watch(t.Context(), "/p", func() { fired.Add(1) })
			if err != nil {
				t.Fatal(err)
			}
			stop()
		}
		_, stop, err := c.Watch(t.Context(), "/p", func() { fired.Add(1) })
		if err != nil {
			t.Fatal(err)
		}
		defer stop()
		if err := c.Delete(t.Context(), "/p"); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if watches.Load() != 1 || fired.Load() != 1 {
			t.Errorf("%d watches set and %d notified, want 1 and 1", watches.Load(), fired.Load())
		}
	})
}

func TestWatchesAreToldOfWhatHappenedWhileTheClientWasAway(t *testing.T) {
	inBubble(t, func(t *testing.T, srv *zk.Server, link *zk.Link, c *Client) {
		other, err := Dial(t.Context(), Config{Servers: []string{"127.0.0.1"}, Dialer: srv.Dial})
		if err != nil {
			t.Fatal(err)
		}
		defer other.Close()
		mustCreate(t, c, "/p")
		for range 50 {
			var fired atomic.Int32
			_, stop, err := c.WatchChildren(t.Context(), "/p", func() { fired.Add(1) })
			if err != nil {
				t.Fatal(err)
			}
			link.Partition()
			n, err := other.Create(t.Context(), "/p/n-", EphemeralSequential)
			if err != nil {
				t.Fatal(err)
			}
			if err := other.Delete(t.Context(), n.Path); err != nil {
				t.Fatal(err)
			}
			link.Heal()
			for range 3 { // answers that could be faster than the watches
				go func() { _ = c.Sync(context.WithoutCancel(t.Context()), "/p") }()
			}
			time.Sleep(5 * time.Second)
			stop()
			if fired.Load() != 1 {
				t.Fatalf("the watch fired %d times, want once", fired.Load())
			}
		}
	})
}

func TestWatchIsToldOfTheEndOfItsSession(t *testing.T) {
	inBubble(t, func(t *testing.T, srv *zk.Server, _ *zk.Link, c *Client) {
		mustCreate(t, c, "/p")
		var fired atomic.Int32
		_, stop, err := c.Watch(t.Context(), "/p", func() { fired.Add(1) })
		if err != nil {
			t.Fatal(err)
		}
		defer stop()
		srv.Machine().ExpireSession(c.Session().ID)
		time.Sleep(5 * time.Second)
		if fired.Load() != 1 {
			t.Errorf("fired %d times, want once", fired.Load())
		}
	})
}

func TestAuthenticationIsRepeatedOverTheNextConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := zk.InMemory(zk.Options{})
		defer srv.Close()
		link := srv.NewLink()
		c, err := Dial(t.Context(), Config{Servers: []string{"127.0.0.1"}, Dialer: link.Dial, Auth: "user:secret"})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		mustCreate(t, c, "/p")
		_, stop, err := c.Watch(t.Context(), "/p", func() {})
		if err != nil {
			t.Fatal(err)
		}
		defer stop()
		before := srv.Requests()[state.OpSetAuth]
		link.Cut()
		time.Sleep(time.Second)
		if _, err := c.Create(t.Context(), "/p/n-", EphemeralSequential); err != nil {
			t.Error(err)
		}
		if got := srv.Requests()[state.OpSetAuth] - before; got != 1 {
			t.Errorf("%d authentications after the reconnect, want 1", got)
		}
	})
}

func mustCreate(t *testing.T, c *Client, path string) {
	t.Helper()
	if _, err := c.Create(t.Context(), path, Persistent); err != nil {
		t.Fatal(err)
	}
}

func second[T any](_ T, err error) error        { return err }
func third[T, U any](_ T, _ U, err error) error { return err }
