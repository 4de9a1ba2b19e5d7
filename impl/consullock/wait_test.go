package consullock

import (
	"net/http"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/consul/api"
)

func TestWaiterWakesThoughTheIndexWentBackwards(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore(t)
		a, b := newProcess(t, store, Config{}), newProcess(t, store, Config{Wait: 10 * time.Minute})
		lease := mustAcquire(t, a, "k")
		old := store.Snapshot()
		// The index of the key grows by plain writes to it.
		e := *keyAt(t, store, "k")
		for i := range 20 {
			op := api.KVTxnOp{Verb: api.KVSet, Key: "k", Value: e.Value, Flags: e.Flags}
			if i%2 == 0 {
				op.Value = append(e.Value[:len(e.Value):len(e.Value)], '!')
			}
			if _, err := store.Do(op); err != nil {
				t.Fatal(err)
			}
		}
		got := acquired(t, b, "k")
		time.Sleep(time.Second)
		store.Restore(old)
		time.Sleep(time.Second)
		mustRelease(t, lease)
		if d := <-got; d != 2*time.Second {
			t.Errorf("granted after %v, want at the release, after 2 s", d)
		}
		for range got {
		}
	})
}

func TestWaiterBlocksThoughTheIndexIsZero(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore(t)
		a, b := newProcess(t, store, Config{}), newProcess(t, store, Config{})
		lease := mustAcquire(t, a, "k")
		zero := func(r *http.Response) { r.Header.Set("X-Consul-Index", "0") }
		b.net.inject(fault{kind: read, times: 1000, answer: zero})
		b.net.inject(fault{kind: watch, times: 1000, answer: zero})
		got := acquired(t, b, "k")
		time.Sleep(10 * time.Second)
		mustRelease(t, lease)
		if d := <-got; d > 10*time.Second+pause {
			t.Errorf("granted after %v, want at the release", d)
		}
		for range got {
		}
		// Each pair of answers costs a pause, so there is no busy loop.
		if n := len(b.net.requests()); n > 2*int(10*time.Second/pause)+10 {
			t.Errorf("%d requests in 10 s", n)
		}
	})
}

func TestWaitersSendOneRequestForEachWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore(t)
		a, b := newProcess(t, store, Config{}), newProcess(t, store, Config{Wait: time.Minute})
		lease := mustAcquire(t, a, "k")
		mustRelease(t, mustAcquire(t, b, "warm-up"))
		b.net.requests()
		got := acquired(t, b, "k")
		time.Sleep(150 * time.Second)
		mustRelease(t, lease)
		for range got {
		}
		sent := slices.DeleteFunc(b.net.requests(), func(kind string) bool { return kind == renew })
		if want := []string{take, read, watch, watch, watch, take, free}; !slices.Equal(sent, want) {
			t.Errorf("requests = %q, want %q", sent, want)
		}
	})
}

func TestWaiterWaitsOutAnOutageOfOneTTL(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore(t)
		a, b := newProcess(t, store, Config{}), newProcess(t, store, Config{Wait: time.Second})
		lease := mustAcquire(t, a, "k")
		got := acquired(t, b, "k")
		time.Sleep(time.Second)
		b.net.inject(fault{kind: watch, times: 50, before: cut})
		b.net.inject(fault{kind: read, times: 50, before: cut})
		time.Sleep(30 * time.Second)
		mustRelease(t, lease)
		if d := <-got; d != 31*time.Second {
			t.Errorf("granted after %v, want at the release, after 31 s", d)
		}
		for range got {
		}
	})
}

func TestWaiterDoesNotWaitForADeadServerForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore(t)
		a, b := newProcess(t, store, Config{}), newProcess(t, store, Config{Wait: time.Second})
		mustAcquire(t, a, "k")
		start, failed := time.Now(), make(chan error)
		go func() {
			_, err := b.Acquire(background, "k")
			failed <- err
		}()
		time.Sleep(10 * time.Second)
		b.net.setDown(true)
		if err := <-failed; err == nil {
			t.Error("acquired a lock that is held")
		}
		if d := time.Since(start); d > 10*time.Second+2*ttl {
			t.Errorf("gave up after %v", d)
		}
	})
}
