package etcdstore_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/lockstep-sim/lockstep/impl/etcdlock"
	"github.com/lockstep-sim/lockstep/sim/kernel"
	"github.com/lockstep-sim/lockstep/sim/network"
	"github.com/lockstep-sim/lockstep/sim/record"
	"github.com/lockstep-sim/lockstep/sim/store/etcdstore"
	"github.com/lockstep-sim/lockstep/sim/trace"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var bg = context.Background()

// world is one node and its clients.
type world struct {
	t    *testing.T
	k    *kernel.Kernel
	net  *network.Network
	rec  *record.Recorder
	node *etcdstore.Node
}

func newWorld(t *testing.T) *world {
	w := &world{t: t, k: kernel.New(1, kernel.Limits{})}
	w.rec = record.New(w.k, trace.Header{Actors: []trace.Actor{{Name: "etcd", Role: trace.RoleStore}}}, nil)
	w.net = network.New(w.k, w.rec, time.Millisecond, &network.Faults{})
	w.node = etcdstore.New(w.k.NewProcess("etcd"), w.net, w.rec, etcdstore.Config{
		Locks: []string{"l"}, Owner: func(g string) string { return "owner of " + g }, Registers: []string{"r"},
	})
	t.Cleanup(w.k.Close)
	return w
}

// client runs f as a client of its own.
func (w *world) client(name string, f func(p *kernel.Process, c *etcdstore.Client)) {
	p := w.k.NewProcess(name)
	c := w.node.Client(p)
	p.Go("main", func() { f(p, c) })
}

func (w *world) run() *trace.Trace {
	w.t.Helper()
	if err := w.k.Run(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
	return w.rec.Finish(true)
}

// must fails the test.
func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Errorf("at %v: %v", w.k.Now(), err)
	}
}

func (w *world) at(p *kernel.Process, t time.Duration) {
	w.must(p.Clock().Sleep(bg, t-time.Duration(w.k.Now())))
}

func put(key, value string, lease etcdlock.LeaseID) etcdlock.Txn {
	return etcdlock.Txn{Then: []etcdlock.Op{etcdlock.Put(key, value, lease)}}
}

func drop(key string) etcdlock.Txn { return etcdlock.Txn{Then: []etcdlock.Op{etcdlock.Delete(key)}} }

// take makes the lease 1 of 2 s, with the lock's key on it.
func (w *world) take(c *etcdstore.Client) {
	_, err := c.Grant(bg, 1, 2*time.Second)
	w.must(err)
	_, err = c.Txn(bg, put("l/1", "A#1", 1))
	w.must(err)
}

func TestAnExpiredLeaseIsFoundAtTheNextHalfSecond(t *testing.T) {
	w := newWorld(t)
	w.client("A", func(_ *kernel.Process, c *etcdstore.Client) { w.take(c) })
	tr := w.run()
	last := tr.Event(tr.Len())
	if last.Kind != trace.KindExpire || last.At != int64(2500*time.Millisecond) {
		t.Errorf("last event: %+v", last)
	}
	if len(last.Truths) != 1 || last.Truths[0].Owner != "" {
		t.Errorf("the owner is not gone: %+v", last.Truths)
	}
}

func TestAKeepAliveOfAnEndingLeaseIsAnsweredWhenItIsRevoked(t *testing.T) {
	w := newWorld(t)
	w.client("A", func(p *kernel.Process, c *etcdstore.Client) {
		w.take(c)
		w.at(p, 2100*time.Millisecond)
		if _, err := c.KeepAlive(bg, 1); !errors.Is(err, etcdlock.ErrLeaseNotFound) {
			t.Errorf("KeepAlive = %v", err)
		}
		if now := time.Duration(w.k.Now()); now != 2501*time.Millisecond {
			t.Errorf("answered at %v", now)
		}
	})
	w.run()
}

func TestWatchesAreToldAtOnceOrAtTheNextTenth(t *testing.T) {
	for name, tc := range map[string]struct {
		from int64
		told time.Duration
	}{
		"from now":      {0, 1042 * time.Millisecond},
		"from the past": {2, 1101 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.client("A", func(p *kernel.Process, c *etcdstore.Client) {
				_, err := c.Txn(bg, put("k", "", 0))
				w.must(err)
				w.at(p, 1040*time.Millisecond)
				_, err = c.Txn(bg, drop("k"))
				w.must(err)
			})
			w.client("B", func(p *kernel.Process, c *etcdstore.Client) {
				w.at(p, 1020*time.Millisecond)
				if tc.from > 0 {
					w.at(p, 1050*time.Millisecond)
				}
				watch, err := c.WatchFrom(bg, "k", tc.from)
				w.must(err)
				defer watch.Close()
				w.must(watch.WaitDeleted(bg))
				if now := time.Duration(w.k.Now()); now != tc.told {
					t.Errorf("told at %v, want %v", now, tc.told)
				}
			})
			w.run()
		})
	}
}

func TestABrokenConnectionFailsWhatWaitsAndIsMadeAgain(t *testing.T) {
	w := newWorld(t)
	w.client("A", func(_ *kernel.Process, c *etcdstore.Client) {
		watch, err := c.Watch(bg, "k")
		w.must(err)
		w.k.After(time.Second, func() { w.net.Disconnect("A") })
		if err := watch.WaitDeleted(bg); !errors.Is(err, etcdlock.ErrWatchLost) {
			t.Errorf("WaitDeleted = %v", err)
		}
		watch.Close()
		_, err = c.Txn(bg, drop("k"))
		w.must(err)
	})
	w.run()
}

func TestARestartKeepsKeysAndRevisionsAndBeginsLeasesAnew(t *testing.T) {
	w := newWorld(t)
	w.k.After(time.Second, w.node.Kill)
	w.k.After(1900*time.Millisecond, func() { w.must(w.node.Restart("log")) })
	w.client("A", func(p *kernel.Process, c *etcdstore.Client) {
		w.take(c)
		w.at(p, 1500*time.Millisecond)
		if _, err := c.Txn(bg, drop("l/1")); err == nil {
			t.Error("a killed node has answered")
		}
		w.at(p, 3*time.Second) // the lease would have ended at 2.5 s
		res, err := c.Txn(bg, etcdlock.Txn{Then: []etcdlock.Op{etcdlock.Get("l/1")}})
		w.must(err)
		if res.Revision != 2 || len(res.Read[0]) != 1 {
			t.Errorf("after the restart: %+v", res)
		}
	})
	w.run()
	if under := w.rec.World().InFlight; len(under) > 0 {
		t.Errorf("for ever under way: %v", under)
	}
	if err := w.node.Restart("empty"); err == nil {
		t.Error("etcd has started without its log")
	}
}

func TestAnExpiredSessionEndsTheLeasesOfItsClientOnly(t *testing.T) {
	w := newWorld(t)
	w.client("A", func(p *kernel.Process, c *etcdstore.Client) {
		w.take(c)
		w.at(p, time.Second)
		if w.node.ExpireSession("B") || !w.node.ExpireSession("A") {
			t.Error("A has a session and B has none")
		}
		if _, err := c.KeepAlive(bg, 1); !errors.Is(err, etcdlock.ErrLeaseNotFound) {
			t.Errorf("KeepAlive = %v", err)
		}
	})
	w.run()
}

func TestAPutToARegisterIsRecordedAsAWrite(t *testing.T) {
	w := newWorld(t)
	w.client("A", func(_ *kernel.Process, c *etcdstore.Client) {
		guarded := put("r", "1", 0)
		guarded.If = []etcdlock.Compare{{Key: "l/1", CreateRevision: 9}}
		_, err := c.Txn(etcdstore.AsWriter(bg, "A#1"), guarded)
		w.must(err)
	})
	tr := w.run()
	for i := 1; i <= tr.Len(); i++ {
		if write := tr.Event(i).Write; write != nil {
			if write.Grant != "A#1" || write.Accepted {
				t.Errorf("write %+v", write)
			}
			return
		}
	}
	t.Error("no write is recorded")
}
