package consulstore_test

import (
	"context"
	"errors"
	"net"
	"slices"
	"testing"
	"time"

	"github.com/hashicorp/consul/api"
	"go.uber.org/goleak"

	"github.com/lockstep-sim/lockstep/impl/clock"
	"github.com/lockstep-sim/lockstep/sim/kernel"
	"github.com/lockstep-sim/lockstep/sim/network"
	"github.com/lockstep-sim/lockstep/sim/record"
	"github.com/lockstep-sim/lockstep/sim/store/consulstore"
	"github.com/lockstep-sim/lockstep/sim/trace"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var bg = context.Background()

// world is one node and its clients.
type world struct {
	*testing.T
	k    *kernel.Kernel
	rec  *record.Recorder
	node *consulstore.Node
}

func newWorld(t *testing.T) *world {
	w := &world{T: t, k: kernel.New(1, kernel.Limits{})}
	w.rec = record.New(w.k, trace.Header{Actors: []trace.Actor{{Name: "consul", Role: trace.RoleStore}}}, nil)
	net := network.New(w.k, w.rec, time.Millisecond, &network.Faults{})
	w.node = consulstore.New(w.k.NewProcess("consul"), net, w.rec, consulstore.Config{
		Locks: []string{"l"}, Owner: func(g string) string { return "owner of " + g },
	})
	t.Cleanup(w.k.Close)
	return w
}

// client runs f as a client of its own.
func (w *world) client(name string, f func(clk clock.Clock, c *api.Client)) {
	w.Helper()
	p := w.k.NewProcess(name)
	c, err := w.node.Client(p)
	if err != nil {
		w.Fatal(err)
	}
	p.Go("main", func() { f(p.Clock(), c) })
}

func (w *world) run() *trace.Trace {
	w.Helper()
	if err := w.k.Run(w.Context()); err != nil {
		w.Fatal(err)
	}
	return w.rec.Finish(true)
}

// session creates one with a TTL of 10 s and a lock-delay of 1 s.
func (w *world) session(c *api.Client) string {
	id, _, err := c.Session().CreateNoChecks(&api.SessionEntry{TTL: "10s", LockDelay: time.Second}, nil)
	if err != nil {
		w.Error(err)
	}
	return id
}

func (w *world) acquire(c *api.Client, session string) bool {
	ok, _, err := c.KV().Acquire(&api.KVPair{Key: "l", Value: []byte("g"), Session: session}, nil)
	if err != nil {
		w.Error(err)
	}
	return ok
}

// find is the first event of that kind whose text begins like this.
func find(tr *trace.Trace, kind trace.Kind, text string) *trace.Event {
	for i := 1; i <= tr.Len(); i++ {
		if e := tr.Event(i); e.Kind == kind && len(e.Text) >= len(text) && e.Text[:len(text)] == text {
			return e
		}
	}
	return &trace.Event{}
}

func TestARequestTakesTheTimeOfTwoMessages(t *testing.T) {
	w := newWorld(t)
	w.client("A", func(clk clock.Clock, c *api.Client) {
		start := clk.Now()
		if id := w.session(c); id != "A-s1" {
			t.Errorf("the session is called %q", id)
		}
		if took := clk.Now().Sub(start); took != 2*time.Millisecond {
			t.Errorf("it took %v", took)
		}
	})
	if e := find(w.run(), trace.KindExec, "CREATE session 10s"); e.Reply != "A-s1" {
		t.Errorf("the answer is recorded as %q", e.Reply)
	}
}

func TestTheEnvironmentOfTheUserIsNoPartOfTheRun(t *testing.T) {
	for _, name := range []string{"CONSUL_NAMESPACE", "CONSUL_PARTITION", "CONSUL_HTTP_TOKEN_FILE"} {
		t.Setenv(name, "none-of-this")
	}
	t.Setenv("CONSUL_HTTP_ADDR", "https://example.org")
	w := newWorld(t)
	w.client("A", func(_ clock.Clock, c *api.Client) { w.acquire(c, w.session(c)) })
	if e := find(w.run(), trace.KindExec, "ACQUIRE l g by A-s1"); e.Reply != "true" {
		t.Errorf("the answer is %q", e.Reply)
	}
}

// A session ends at twice its TTL, and its key is kept back for the lock-delay.
func TestASessionThatIsNotRenewed(t *testing.T) {
	w := newWorld(t)
	w.client("A", func(clk clock.Clock, c *api.Client) {
		w.acquire(c, w.session(c))
		_ = clk.Sleep(bg, 20*time.Second)
		second := w.session(c)
		if w.acquire(c, second) {
			t.Error("granted within the lock-delay")
		}
		_ = clk.Sleep(bg, time.Second)
		if !w.acquire(c, second) {
			t.Error("refused after the lock-delay")
		}
	})
	tr := w.run()
	e := find(tr, trace.KindExpire, "invalidates A-s1, lock-delay 1s")
	if at := time.Duration(e.At); at != 20001*time.Millisecond {
		t.Errorf("the session ends at %v", at)
	}
	if want := []trace.Truth{{Lock: "l"}}; !slices.Equal(e.Truths, want) {
		t.Errorf("the truth is %+v", e.Truths)
	}
	after := tr.At(e.Step)
	if s := after.SessionsOf("consul"); len(s) != 0 {
		t.Errorf("sessions after that: %+v", s)
	}
}

func TestABlockingQuery(t *testing.T) {
	for name, tc := range map[string]struct {
		write time.Duration // when B writes
		took  time.Duration
		wakes bool
	}{
		"is answered by a change":       {2 * time.Second, 2002 * time.Millisecond, true},
		"is answered when time is over": {time.Hour, 10002 * time.Millisecond, false},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.client("A", func(clk clock.Clock, c *api.Client) {
				start := clk.Now()
				_, _, err := c.KV().Get("l", &api.QueryOptions{WaitIndex: 1, WaitTime: 10 * time.Second})
				if took := clk.Now().Sub(start); err != nil || took != tc.took {
					t.Errorf("answered after %v: %v", took, err)
				}
			})
			w.client("B", func(clk clock.Clock, c *api.Client) {
				_ = clk.Sleep(bg, tc.write)
				_, _ = c.KV().Put(&api.KVPair{Key: "l"}, nil) // the query shows it
			})
			tr := w.run()
			held := find(tr, trace.KindNote, "holds the query of A")
			if got := tr.At(held.Step).Watches; len(got) != 1 {
				t.Errorf("watches while it blocks: %+v", got)
			}
			answer := find(tr, trace.KindReceive, "GET l after 1, wait 10s")
			if got := tr.At(answer.Step).Watches; answer.Wake != tc.wakes || len(got) != 0 {
				t.Errorf("wakes: %v, watches after the answer: %+v", answer.Wake, got)
			}
		})
	}
}

func TestAQueryThatIsGivenUpEndsAtTheServer(t *testing.T) {
	w := newWorld(t)
	w.client("A", func(clk clock.Clock, c *api.Client) {
		ctx, cancel := clk.WithTimeout(bg, time.Second)
		defer cancel()
		_, _, err := c.KV().Get("l", (&api.QueryOptions{WaitIndex: 1}).WithContext(ctx))
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the error is %v", err)
		}
	})
	e := find(w.run(), trace.KindExec, "GET l after 1")
	if at := time.Duration(e.At); e.Reply != "given up" || at != 1001*time.Millisecond {
		t.Errorf("%q at %v", e.Reply, at)
	}
}

func TestAServerThatIsKilled(t *testing.T) {
	for from, kept := range map[string]bool{"log": true, "snapshot": true, "empty": false} {
		t.Run(from, func(t *testing.T) {
			w := newWorld(t)
			w.client("A", func(clk clock.Clock, c *api.Client) {
				w.acquire(c, w.session(c))
				_ = clk.Sleep(bg, 5*time.Second)
				_, _, err := c.KV().Get("l", nil)
				if op := (*net.OpError)(nil); !errors.As(err, &op) || op.Op != "dial" {
					t.Errorf("a request to the dead server ends with %v", err)
				}
				_ = clk.Sleep(bg, 30*time.Second) // its session would be over
				pair, _, err := c.KV().Get("l", nil)
				if held := pair != nil && pair.Session == "A-s1"; err != nil || held != kept {
					t.Errorf("after the restart the key is %+v, %v", pair, err)
				}
			})
			w.k.After(time.Second, w.node.Save)
			w.k.After(2*time.Second, w.node.Kill)
			w.k.After(30*time.Second, func() {
				if err := w.node.Restart(from); err != nil {
					t.Error(err)
				}
			})
			w.run()
		})
	}
}

func TestASessionCanBeEndedFromOutside(t *testing.T) {
	w := newWorld(t)
	w.client("A", func(_ clock.Clock, c *api.Client) { w.acquire(c, w.session(c)) })
	w.k.After(time.Second, func() {
		if !w.node.ExpireSession("A") || w.node.ExpireSession("B") {
			t.Error("it is A that has a session")
		}
	})
	if e := find(w.run(), trace.KindExpire, "invalidates A-s1"); time.Duration(e.At) != time.Second {
		t.Errorf("the session ends at %v", time.Duration(e.At))
	}
}
