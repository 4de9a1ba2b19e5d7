package zklock_test

import (
	"testing"
	"time"

	gozk "github.com/go-zookeeper/zk"

	"github.com/lockstep-sim/lockstep/impl/embedded/zk"
	"github.com/lockstep-sim/lockstep/impl/embedded/zk/state"
)

func TestOrderIsKeptWhenTheSequenceNumbersRunOut(t *testing.T) {
	for name, wrap := range map[string]state.Wrap{"numbers stick": state.WrapSticks, "numbers go on below zero": state.WrapSigned} {
		t.Run(name, func(t *testing.T) {
			inBubbleWith(t, zk.Options{Wrap: wrap}, func(t *testing.T, w world) {
				w.release(w.acquire(w.process(), "k"))
				if err := w.srv.Machine().SetCounter("/lockstep/k", 2147483646); err != nil {
					t.Fatal(err)
				}
				holder := w.acquire(w.process(), "k")
				var waiting []*attempt
				for range 6 {
					waiting = append(waiting, w.begin(w.process(), "k"))
				}
				t.Log(w.queue("k"))
				for i, next := range waiting {
					for _, other := range waiting[i:] {
						if other.granted() {
							t.Fatalf("somebody got in beside holder %d", i)
						}
					}
					w.release(holder)
					if !next.granted() {
						t.Fatalf("release %d did not let the next in line in", i)
					}
					holder = next.lease
				}
				w.release(holder)
				w.release(w.acquire(w.process(), "k"))
			})
		})
	}
}

func TestQueueWhoseNumbersRanOutBeginsAnew(t *testing.T) {
	inBubble(t, func(t *testing.T, w world) {
		p := w.process()
		w.release(w.acquire(p, "k"))
		if err := w.srv.Machine().SetCounter("/lockstep/k", 2147483647); err != nil {
			t.Fatal(err)
		}
		old := w.acquire(p, "k")
		w.release(old)
		next := w.acquire(p, "k")
		if q := w.queue("k"); len(q) != 1 || q[0] != "lock-0000000000" {
			t.Errorf("queue %v, want it to begin at number 0 again", q)
		}
		before, _ := old.Token()
		after, _ := next.Token()
		if after <= before {
			t.Errorf("token %d after %d, want a larger one", after, before)
		}
	})
}

// The Lock of go-zookeeper stands in the same queue.
func TestExcludesTheLockOfTheClientLibrary(t *testing.T) {
	inBubble(t, func(t *testing.T, w world) {
		conn, _, err := gozk.Connect([]string{"127.0.0.1"}, sessionTimeout,
			gozk.WithDialer(w.srv.Dial), gozk.WithLogInfo(false))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		theirs := gozk.NewLock(conn, "/lockstep/k", gozk.WorldACL(gozk.PermAll))

		ours := w.acquire(w.process(), "k")
		locked := make(chan error, 1)
		go func() { locked <- theirs.LockWithData([]byte("theirs")) }()
		time.Sleep(time.Second)
		select {
		case err := <-locked:
			t.Fatalf("their lock came beside ours: %v", err)
		default:
		}
		behind := w.begin(w.process(), "k")
		w.release(ours)
		if err := <-locked; err != nil {
			t.Fatal(err)
		}
		if behind.granted() {
			t.Fatal("our lock came beside theirs")
		}
		if err := theirs.Unlock(); err != nil {
			t.Fatal(err)
		}
		if !behind.granted() {
			t.Error("our lock did not come after theirs")
		}
	})
}
