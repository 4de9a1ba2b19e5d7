package zkstore_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/lockstep-sim/lockstep/impl/embedded/zk/state"
	"github.com/lockstep-sim/lockstep/impl/zklock/zkconn"
	"github.com/lockstep-sim/lockstep/sim/kernel"
	"github.com/lockstep-sim/lockstep/sim/network"
	"github.com/lockstep-sim/lockstep/sim/record"
	"github.com/lockstep-sim/lockstep/sim/store/zkstore"
	"github.com/lockstep-sim/lockstep/sim/trace"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var bg = context.Background()

const timeout = 6 * time.Second

// world is an ensemble and its clients.
type world struct {
	t     *testing.T
	k     *kernel.Kernel
	net   *network.Network
	rec   *record.Recorder
	store *zkstore.Store
}

func newWorld(t *testing.T, faults *network.Faults, servers ...string) *world {
	t.Helper()
	w := &world{t: t, k: kernel.New(1, kernel.Limits{})}
	w.rec = record.New(w.k, trace.Header{Actors: []trace.Actor{{Name: "A", Role: trace.RoleClient}}}, nil)
	w.net = network.New(w.k, w.rec, time.Millisecond, faults)
	var procs []*kernel.Process
	for _, s := range servers {
		procs = append(procs, w.k.NewProcess(s))
	}
	w.store = zkstore.New(procs, w.net, w.rec, zkstore.Config{Base: "/locks"})
	w.must(w.store.Prepare([]string{"/locks/l"}, 0))
	t.Cleanup(w.k.Close)
	return w
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Errorf("at %v: %v", w.k.Now(), err)
	}
}

// client runs f as a client of its own.
func (w *world) client(name string, f func(p *kernel.Process, c *zkstore.Client)) {
	w.t.Helper()
	p := w.k.NewProcess(name)
	c, err := w.store.Client(p, timeout)
	w.must(err)
	p.Go("main", func() { f(p, c) })
}

// run goes on for a minute and returns what was recorded, as "time actor text".
func (w *world) run() []string {
	w.t.Helper()
	w.k.At(kernel.Time(time.Minute), w.k.Stop)
	w.must(w.k.Run(w.t.Context()))
	tr := w.rec.Finish(false)
	var out []string
	for i := 1; i <= tr.Len(); i++ {
		e := tr.Event(i)
		out = append(out, trace.Instant(e.At)+" "+e.Actor+" "+e.Text)
	}
	return out
}

func has(t *testing.T, events []string, want string) {
	t.Helper()
	if !slices.Contains(events, want) {
		t.Errorf("no event %q in\n  %s", want, strings.Join(events, "\n  "))
	}
}

func (w *world) sleepUntil(p *kernel.Process, at time.Duration) {
	w.must(p.Clock().Sleep(bg, at-time.Duration(w.k.Now())))
}

// place makes a node in the queue of l.
func (w *world) place(c *zkstore.Client) zkconn.Node {
	n, err := c.Create(bg, "/locks/l/_c_A#1-lock-", zkconn.EphemeralSequential)
	w.must(err)
	return n
}

func TestANodeOutlivesItsConnectionAndNotItsSession(t *testing.T) {
	w := newWorld(t, &network.Faults{}, "zk")
	w.client("A", func(p *kernel.Process, c *zkstore.Client) {
		n := w.place(c)
		session := c.Session().ID
		w.sleepUntil(p, 5*time.Second)
		w.net.Disconnect("A")
		_, err := c.Get(bg, n.Path)
		w.must(err)
		if c.Session().ID != session {
			t.Error("the session has changed with the connection")
		}
		w.sleepUntil(p, 10*time.Second)
		w.net.LoseHost(p)
	})
	events := w.run()
	has(t, events, "5.002s A is connected to zk, its session goes on")
	has(t, events, "16s zk the session of A expires") // the last ping came at 8.001 s: six seconds, and the next even one
}

func TestAClosedSessionTakesItsNodesAlong(t *testing.T) {
	w := newWorld(t, &network.Faults{}, "zk")
	w.client("A", func(_ *kernel.Process, c *zkstore.Client) {
		w.place(c)
		var ended int
		c.OnSessionEnd(func(int64) { ended++ })
		w.must(c.Close(bg))
		if ended != 1 {
			t.Errorf("told %d times that the session has ended", ended)
		}
	})
	has(t, w.run(), "3ms zk the session of A is closed")
	if slices.ContainsFunc(w.store.Machine().Tree(), func(n state.Node) bool { return n.Stat.EphemeralOwner != 0 }) {
		t.Error("the node is still there")
	}
}

func TestAWatchIsToldOnceAndOverANewConnection(t *testing.T) {
	w := newWorld(t, &network.Faults{}, "zk")
	told := 0
	var path string
	w.client("A", func(p *kernel.Process, c *zkstore.Client) {
		path = w.place(c).Path
		w.sleepUntil(p, 3*time.Second)
		w.must(c.Delete(bg, path))
	})
	w.client("B", func(p *kernel.Process, c *zkstore.Client) {
		w.sleepUntil(p, time.Second)
		_, leave, err := c.Watch(bg, path, func() { told++ })
		w.must(err)
		defer leave()
		w.sleepUntil(p, 2*time.Second)
		w.net.Disconnect("B")
		w.sleepUntil(p, 10*time.Second)
	})
	w.run()
	if told != 1 {
		t.Errorf("told %d times, want once", told)
	}
}

func TestARequestWithoutAnAnswerIsDisconnected(t *testing.T) {
	for point, made := range map[network.Point]int{network.OnRequest: 0, network.OnReply: 1} {
		faults := &network.Faults{Rules: []*network.Rule{{Actor: "A", Command: "CREATE", Nth: 1, Point: point, Do: network.Break{}}}}
		w := newWorld(t, faults, "zk")
		w.client("A", func(_ *kernel.Process, c *zkstore.Client) {
			_, err := c.Create(bg, "/locks/l/_c_A#1-lock-", zkconn.EphemeralSequential)
			if !errors.Is(err, zkconn.ErrDisconnected) {
				t.Errorf("create: %v", err)
			}
			names, err := c.Children(bg, "/locks/l")
			w.must(err)
			if len(names) != made {
				t.Errorf("lost at point %d: %d nodes, want %d", point, len(names), made)
			}
		})
		w.run()
	}
}

func TestAMinorityDropsItsClientsAndCatchesUp(t *testing.T) {
	faults := &network.Faults{Partitions: []network.Partition{
		{A: []string{"zk1", "A"}, B: []string{"zk2", "zk3", "B"}, From: 3 * time.Second, Until: 30 * time.Second},
	}}
	w := newWorld(t, faults, "zk1", "zk2", "zk3")
	w.client("A", func(_ *kernel.Process, c *zkstore.Client) { w.place(c) })
	w.client("B", func(p *kernel.Process, c *zkstore.Client) {
		w.sleepUntil(p, 20*time.Second)
		names, err := c.Children(bg, "/locks/l")
		w.must(err)
		if len(names) != 0 {
			t.Errorf("the majority still has %q", names)
		}
	})
	events := w.run()
	has(t, events, "4.001s A is disconnected from zk1")
	has(t, events, "10s zk2 the session of A expires")
	if i := slices.IndexFunc(events, func(e string) bool { return strings.Contains(e, "its session has expired, it has a new one") }); i < 0 {
		t.Error("A is not told of the end of its session when it comes back")
	}
}

func TestAServerThatCatchesUpEndsNoSession(t *testing.T) {
	faults := &network.Faults{Partitions: []network.Partition{
		{A: []string{"zk3"}, B: []string{"zk1", "zk2"}, From: 3 * time.Second, Until: 12 * time.Second},
	}}
	w := newWorld(t, faults, "zk1", "zk2", "zk3")
	w.client("A", func(p *kernel.Process, c *zkstore.Client) {
		n := w.place(c)
		w.sleepUntil(p, 5*time.Second)
		w.must(c.Delete(bg, n.Path))
	})
	w.client("B", func(p *kernel.Process, c *zkstore.Client) {
		w.place(c)
		w.sleepUntil(p, 10*time.Second)
		w.net.LoseHost(p)
	})
	events := w.run()
	expired := slices.DeleteFunc(slices.Clone(events), func(e string) bool { return !strings.HasSuffix(e, " expires") })
	if want := []string{"16s zk1 the session of B expires"}; !slices.Equal(expired, want) {
		t.Errorf("%q, want %q", expired, want)
	}
}

func TestARequestWithoutAnyServerFails(t *testing.T) {
	w := newWorld(t, &network.Faults{}, "zk")
	w.client("A", func(p *kernel.Process, c *zkstore.Client) {
		w.sleepUntil(p, time.Second)
		w.store.Node("zk").Kill()
		w.sleepUntil(p, 2*time.Second)
		if err := c.Sync(bg, "/locks"); !errors.Is(err, zkconn.ErrDisconnected) {
			t.Errorf("sync: %v", err)
		}
		w.must(w.store.Node("zk").Restart("log"))
		w.sleepUntil(p, 6*time.Second)
		w.must(c.Sync(bg, "/locks"))
	})
	w.run()
}
