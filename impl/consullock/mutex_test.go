package consullock

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/consul/api"

	"github.com/lockstep-sim/lockstep/impl/embedded/consul"
	"github.com/lockstep-sim/lockstep/impl/lock"
)

var background = context.Background()

func mustAcquire(t testing.TB, l lock.Locker, key string, opts ...lock.Option) lock.Lease {
	t.Helper()
	lease, err := l.Acquire(background, key, opts...)
	if err != nil {
		t.Fatalf("acquire: %v", err)
	}
	return lease
}

func mustRelease(t testing.TB, lease lock.Lease) {
	t.Helper()
	if err := lease.Release(background); err != nil {
		t.Fatalf("release: %v", err)
	}
}

// mustBeTaken checks that a lock cannot be had right now.
func mustBeTaken(t testing.TB, l lock.Locker, key string) {
	t.Helper()
	lease, err := l.TryAcquire(background, key)
	if lease != nil || !errors.Is(err, lock.ErrNotAcquired) {
		t.Fatalf("try = %v, %v, want ErrNotAcquired", lease, err)
	}
}

// keyAt returns the key as the server has it, or nil.
func keyAt(t testing.TB, store *consul.Store, key string) *api.KVPair {
	t.Helper()
	e, _, err := store.Get(background, key, consul.Query{})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// mustBeClean checks that nothing is left on the server.
func mustBeClean(t testing.TB, store *consul.Store) {
	t.Helper()
	keys, _, err := store.Keys(background, "", "", consul.Query{})
	if err != nil || len(keys) != 0 {
		t.Errorf("keys left behind: %q, %v", keys, err)
	}
	sessions, _, err := store.Sessions(background, consul.Query{})
	if err != nil || len(sessions) != 0 {
		t.Errorf("sessions left behind: %v, %v", sessions, err)
	}
}

func TestUncontendedLockAndUnlockIsOneRequestEach(t *testing.T) {
	a := newProcess(t, newStore(t), Config{})
	for i, want := range [][]string{
		{create, take, free}, // the first grant creates the session
		{take, free},
		{take, free},
	} {
		mustRelease(t, mustAcquire(t, a, "k"))
		if got := a.net.requests(); !slices.Equal(got, want) {
			t.Errorf("round %d: requests %q, want %q", i, got, want)
		}
	}
}

func TestLockExcludesGoroutinesAndProcesses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore(t)
		a, b := newProcess(t, store, Config{}), newProcess(t, store, Config{})
		lease := mustAcquire(t, a, "k")
		mustBeTaken(t, a, "k") // by another goroutine with the same session
		mustBeTaken(t, b, "k")
		mustRelease(t, mustAcquire(t, b, "other"))
		mustRelease(t, lease)
		mustRelease(t, mustAcquire(t, b, "k"))
	})
}

func TestKeyThatWasLeftFreeIsGivenToOneOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore(t)
		a := newProcess(t, store, Config{LockDelay: NoLockDelay})
		lease := mustAcquire(t, a, "k")
		if err := store.DestroySession(keyAt(t, store, "k").Session); err != nil {
			t.Fatal(err)
		}
		mustBeLost(t, lease)
		a.net.latency = time.Second // all see it free before one has it
		got := make(chan lock.Lease, 3)
		for range 3 {
			go func() {
				if lease, err := a.TryAcquire(background, "k"); err == nil {
					got <- lease
				}
			}()
		}
		time.Sleep(time.Minute)
		if len(got) != 1 {
			t.Fatalf("%d goroutines got the lock, want one", len(got))
		}
		mustRelease(t, <-got)
	})
}

func TestContendersLoseNoUpdate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore(t)
		procs := []process{newProcess(t, store, Config{}), newProcess(t, store, Config{})}
		for _, p := range procs {
			p.net.latency = time.Millisecond
		}
		var counter int
		var workers sync.WaitGroup
		for i := range 8 {
			workers.Go(func() {
				p := procs[i%len(procs)]
				for range 20 {
					lease := mustAcquire(t, p, "k")
					seen := counter
					time.Sleep(time.Millisecond)
					counter = seen + 1
					mustRelease(t, lease)
				}
			})
		}
		workers.Wait()
		if counter != 8*20 {
			t.Errorf("counter = %d, want %d", counter, 8*20)
		}
	})
}

func TestHandOffTakesTwoRoundTrips(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const oneWay = 10 * time.Millisecond
		store := newStore(t)
		a, b := newProcess(t, store, Config{}), newProcess(t, store, Config{})
		mustRelease(t, mustAcquire(t, b, "warm-up"))
		lease := mustAcquire(t, a, "k")
		b.net.latency = oneWay
		var got time.Time
		var waiter sync.WaitGroup
		waiter.Go(func() {
			mustRelease(t, mustAcquire(t, b, "k"))
			got = time.Now().Add(-2 * oneWay) // the release took a round trip
		})
		time.Sleep(time.Second)
		freed := time.Now()
		mustRelease(t, lease)
		waiter.Wait()
		if d := got.Sub(freed); d > 4*oneWay {
			t.Errorf("hand-off took %v, want at most two round trips of %v", d, 2*oneWay)
		}
	})
}

func TestReleaseFreesAtOnceAndLeavesNothing(t *testing.T) {
	for _, behavior := range []string{BehaviorRelease, BehaviorDelete} {
		t.Run(behavior, func(t *testing.T) {
			store := newStore(t)
			a := newProcess(t, store, Config{Behavior: behavior})
			mustRelease(t, mustAcquire(t, a, "k"))
			b := newProcess(t, store, Config{})
			lease, err := b.TryAcquire(background, "k")
			if err != nil {
				t.Fatalf("try after the release: %v", err)
			}
			mustRelease(t, lease)
			if err := errors.Join(a.Close(), b.Close()); err != nil {
				t.Fatal(err)
			}
			mustBeClean(t, store)
		})
	}
}

func TestLeaseTellsAboutItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore(t)
		a := newProcess(t, store, Config{NewOwner: func() string { return "me" }})
		start := time.Now()
		lease := mustAcquire(t, a, "k")
		token, ok := lease.Token()
		e := keyAt(t, store, "k")
		if lease.Key() != "k" || lease.Owner() != "me" || string(e.Value) != "me" {
			t.Errorf("key %q, owner %q, value %q", lease.Key(), lease.Owner(), e.Value)
		}
		if !ok || uint64(token) != e.ModifyIndex {
			t.Errorf("token = %d, %v, want the ModifyIndex %d", token, ok, e.ModifyIndex)
		}
		if got := lease.Deadline().Sub(start); got != ttl {
			t.Errorf("deadline after %v, want %v", got, ttl)
		}
		if lease.Err() != nil {
			t.Errorf("error = %v", lease.Err())
		}
		mustRelease(t, lease)
		<-lease.Done()
		if !errors.Is(lease.Err(), lock.ErrReleased) {
			t.Errorf("error = %v, want ErrReleased", lease.Err())
		}
	})
}

func TestTokensGrowThroughEveryLifeOfAKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore(t)
		a := newProcess(t, store, Config{Behavior: BehaviorDelete, LockDelay: NoLockDelay})
		var last lock.Token
		for i, end := range []func(lock.Lease){
			func(l lock.Lease) { mustRelease(t, l) },
			func(l lock.Lease) { store.DestroySession(keyAt(t, store, "k").Session); <-l.Done() }, // deletes the key
			func(l lock.Lease) { store.Do(api.KVTxnOp{Verb: api.KVSet, Key: "k"}); mustBeLost(t, l) },
			func(l lock.Lease) { mustRelease(t, l) },
		} {
			lease := mustAcquire(t, a, "k")
			token, _ := lease.Token()
			if token <= last {
				t.Errorf("grant %d: token %d, want more than %d", i, token, last)
			}
			last = token
			end(lease)
		}
	})
}

func TestMutexAndTheLockOfTheClientExcludeEachOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore(t)
		a := newProcess(t, store, Config{})
		client, _ := newClient(t, store)
		theirs, err := client.LockOpts(&api.LockOptions{Key: "k", LockTryOnce: true, LockWaitTime: time.Second})
		if err != nil {
			t.Fatal(err)
		}
		lease := mustAcquire(t, a, "k")
		if c, err := theirs.Lock(nil); c != nil || err != nil {
			t.Fatalf("their lock = %v, %v, want nothing", c, err)
		}
		mustRelease(t, lease)
		if c, err := theirs.Lock(nil); c == nil || err != nil {
			t.Fatalf("their lock = %v, %v, want it", c, err)
		}
		mustBeTaken(t, a, "k")
		if err := theirs.Unlock(); err != nil {
			t.Fatal(err)
		}
		mustRelease(t, mustAcquire(t, a, "k")) // on the key that they left
		synctest.Wait()
		if e := keyAt(t, store, "k"); e != nil {
			t.Errorf("key left behind: %+v", e)
		}
	})
}

func TestDataThatIsNotALockIsLeftAlone(t *testing.T) {
	store := newStore(t)
	a := newProcess(t, store, Config{})
	if _, err := store.Do(api.KVTxnOp{Verb: api.KVSet, Key: "config/color", Value: []byte("red")}); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Acquire(background, "config/color"); !errors.Is(err, lock.ErrInvalid) {
		t.Errorf("acquire: %v, want ErrInvalid", err)
	}
	if e := keyAt(t, store, "config/color"); e == nil || string(e.Value) != "red" {
		t.Errorf("the data is %+v", e)
	}
}

// mustBeLost checks that a lease turns out to be lost.
func mustBeLost(t testing.TB, lease lock.Lease) {
	t.Helper()
	if err := lease.Release(background); !errors.Is(err, lock.ErrNotHeld) {
		t.Fatalf("release: %v, want ErrNotHeld", err)
	}
}
