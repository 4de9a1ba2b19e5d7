package consullock

import (
	"errors"
	"testing"
	"time"

	"github.com/hashicorp/consul/api"

	"github.com/lockstep-sim/lockstep/impl/lock"
	"github.com/lockstep-sim/lockstep/internal/realserver"
)

// The properties of the lock that depend on the server, on the real one.
func TestMutexOnARealServer(t *testing.T) {
	client, err := api.NewClient(&api.Config{Address: realserver.Consul(t).Addr()})
	if err != nil {
		t.Fatal(err)
	}
	newMutex := func() *Mutex {
		m, err := New(client, Config{LockDelay: time.Second, DelayPoll: 100 * time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = m.Close() })
		return m
	}
	a, b := newMutex(), newMutex()
	session := func() string {
		e, _, err := client.KV().Get("k", nil)
		if err != nil || e == nil {
			t.Fatalf("key = %v, %v", e, err)
		}
		return e.Session
	}

	first := mustAcquire(t, a, "k")
	mustBeTaken(t, a, "k")
	mustBeTaken(t, b, "k")
	got := make(chan lock.Lease)
	go func() {
		lease, err := b.Acquire(background, "k")
		if err != nil {
			t.Error(err)
		}
		got <- lease
	}()
	mustRelease(t, first)
	second := <-got
	old, _ := first.Token()
	if token, ok := second.Token(); !ok || token <= old {
		t.Errorf("token %d after %d", token, old)
	}

	// The session ends other than by a release: lock-delay, and a new session.
	if _, err := client.Session().Destroy(session(), nil); err != nil {
		t.Fatal(err)
	}
	mustBeTaken(t, a, "k")
	third := mustAcquire(t, b, "k")
	if !errors.Is(second.Err(), lock.ErrSessionExpired) {
		t.Errorf("the second lease: %v, want ErrSessionExpired", second.Err())
	}
	mustBeLost(t, second)
	mustRelease(t, third)
	mustRelease(t, mustAcquire(t, a, "k", lock.WithFixedLease(10*time.Second)))

	// Contention.
	counter, done := 0, make(chan bool)
	for _, m := range []*Mutex{a, a, b, b} {
		go func() {
			for range 10 {
				lease, err := m.Acquire(background, "k")
				if err != nil {
					t.Error(err)
					break
				}
				counter++
				if err := lease.Release(background); err != nil {
					t.Error(err)
				}
			}
			done <- true
		}()
	}
	for range 4 {
		<-done
	}
	if counter != 40 {
		t.Errorf("counter = %d, want 40", counter)
	}
	if keys, _, err := client.KV().Keys("", "", nil); err != nil || len(keys) != 0 {
		t.Errorf("keys left behind: %q, %v", keys, err)
	}
}
