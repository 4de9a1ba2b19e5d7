package redisstore

import (
	"context"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"go.uber.org/goleak"

	"github.com/lockstep-sim/lockstep/sim/kernel"
	"github.com/lockstep-sim/lockstep/sim/network"
	"github.com/lockstep-sim/lockstep/sim/record"
	"github.com/lockstep-sim/lockstep/sim/trace"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var bg = context.Background()

// world is one node and its clients.
type world struct {
	t    *testing.T
	k    *kernel.Kernel
	rec  *record.Recorder
	node *Node
}

func newWorld(t *testing.T) *world {
	k := kernel.New(1, kernel.Limits{})
	rec := record.New(k, trace.Header{Actors: []trace.Actor{{Name: "redis", Role: trace.RoleStore}}}, nil)
	net := network.New(k, rec, time.Millisecond, &network.Faults{})
	node, err := New(k.NewProcess("redis"), net, rec, Config{
		Lock: "lock", Owner: func(g string) string { return "owner of " + g },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(node.Close)
	t.Cleanup(k.Close)
	return &world{t, k, rec, node}
}

// client runs f as a client of its own.
func (w *world) client(name string, f func(p *kernel.Process, rdb *redis.Client)) {
	p := w.k.NewProcess(name)
	rdb := w.node.Client(p)
	w.t.Cleanup(func() { _ = rdb.Close() })
	p.Go("main", func() { f(p, rdb) })
}

func (w *world) run() *trace.Trace {
	w.t.Helper()
	if err := w.k.Run(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
	return w.rec.Finish(true)
}

func TestARoundTripTakesTwiceTheLatency(t *testing.T) {
	w := newWorld(t)
	w.client("A", func(p *kernel.Process, rdb *redis.Client) {
		if err := rdb.Set(bg, "k", "v", 0).Err(); err != nil {
			t.Error(err)
		}
		if got := p.Now().Sub(kernel.Epoch); got != 2*time.Millisecond {
			t.Errorf("took %v", got)
		}
	})
	w.run()
}

func TestAKeyExpiresAtItsVirtualTime(t *testing.T) {
	w := newWorld(t)
	w.client("A", func(_ *kernel.Process, rdb *redis.Client) { rdb.Set(bg, "lock", "A#1", 300*time.Millisecond) })
	tr := w.run()
	last := tr.Event(tr.Len())
	if last.Kind != trace.KindExpire || last.At != int64(301*time.Millisecond) {
		t.Errorf("last event: %+v", last)
	}
	if len(last.Truths) != 1 || last.Truths[0].Owner != "" {
		t.Errorf("the owner is not gone: %+v", last.Truths)
	}
}

func TestAClockJumpEndsKeys(t *testing.T) {
	w := newWorld(t)
	w.client("A", func(_ *kernel.Process, rdb *redis.Client) { rdb.Set(bg, "lock", "A#1", time.Minute) })
	w.k.After(time.Second, func() { w.node.Jump(time.Hour) })
	w.client("B", func(p *kernel.Process, rdb *redis.Client) {
		_ = p.Clock().Sleep(bg, 2*time.Second)
		if ok := rdb.SetNX(bg, "lock", "B#1", time.Minute).Val(); !ok {
			t.Error("the key is still there after the jump")
		}
	})
	w.run()
}

func TestMessagesReachEverySubscriberInOrder(t *testing.T) {
	w := newWorld(t)
	var got []string
	for _, name := range []string{"A", "B"} {
		w.client(name, func(p *kernel.Process, rdb *redis.Client) {
			sub := rdb.Subscribe(bg, "news")
			defer func() { _ = sub.Close() }()
			if _, err := sub.Receive(bg); err != nil {
				t.Error(err)
			}
			for range 2 {
				m, err := sub.ReceiveMessage(bg)
				if err != nil {
					t.Error(err)
					return
				}
				got = append(got, name+" "+m.Payload+" "+w.k.Now().String())
			}
		})
	}
	w.client("C", func(p *kernel.Process, rdb *redis.Client) {
		_ = p.Clock().Sleep(bg, time.Minute)
		if n := rdb.Publish(bg, "news", "one").Val(); n != 2 {
			t.Errorf("%d receivers", n)
		}
		rdb.Eval(bg, "return redis.call('PUBLISH', 'news', 'two')", nil)
	})
	w.run()
	want := []string{"A one 1m0.002s", "B one 1m0.002s", "A two 1m0.004s", "B two 1m0.004s"}
	for i := range want {
		if i >= len(got) || got[i] != want[i] {
			t.Fatalf("got %q, want %q", got, want)
		}
	}
}

func TestAContextDeadlineEndsARequestInVirtualTime(t *testing.T) {
	w := newWorld(t)
	w.client("A", func(p *kernel.Process, rdb *redis.Client) {
		ctx, cancel := p.Clock().WithTimeout(bg, time.Millisecond) // half a round trip
		defer cancel()
		if err := rdb.Get(ctx, "k").Err(); err == nil {
			t.Error("no error")
		}
		if got := p.Now().Sub(kernel.Epoch); got != time.Millisecond {
			t.Errorf("took %v", got)
		}
		if err := rdb.Get(bg, "k").Err(); err != redis.Nil {
			t.Errorf("the next request: %v", err)
		}
	})
	w.run()
}
