package consullock

import (
	"testing"
	"time"

	"github.com/hashicorp/consul/api"

	"github.com/lockstep-sim/lockstep/impl/embedded/consul"
)

func BenchmarkLockUnlock(b *testing.B) {
	srv := serve(b, newStore(b), "127.0.0.1:0")
	m := mutexOn(b, srv, Config{})
	mustRelease(b, mustAcquire(b, m, "k"))
	for b.Loop() {
		mustRelease(b, mustAcquire(b, m, "k"))
	}
}

// BenchmarkBareRequests is what an uncontended lock and unlock are made of: two
// transactions of two operations each.
func BenchmarkBareRequests(b *testing.B) {
	store := newStore(b)
	client := clientOf(b, serve(b, store, "127.0.0.1:0"))
	session, _, err := client.Session().CreateNoChecks(nil, nil)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		index := mustRun(b, client,
			&api.KVTxnOp{Verb: api.KVCheckNotExists, Key: "k"},
			&api.KVTxnOp{Verb: api.KVLock, Key: "k", Session: session, Value: []byte("owner")})
		mustRun(b, client,
			&api.KVTxnOp{Verb: api.KVCheckIndex, Key: "k", Index: index},
			&api.KVTxnOp{Verb: api.KVDelete, Key: "k"})
	}
}

// mustRun runs a transaction and returns the index of its first result.
func mustRun(b *testing.B, client *api.Client, ops ...*api.KVTxnOp) uint64 {
	var body api.TxnOps
	for _, op := range ops {
		body = append(body, &api.TxnOp{KV: op})
	}
	ok, answer, _, err := client.Txn().Txn(body, nil)
	if !ok || err != nil {
		b.Fatalf("transaction: %v, %v", ok, err)
	}
	return answer.Results[0].KV.ModifyIndex
}

// BenchmarkClientLockUnlock is the Lock of Consul's own client, with a session
// that it need not create.
func BenchmarkClientLockUnlock(b *testing.B) {
	client := clientOf(b, serve(b, newStore(b), "127.0.0.1:0"))
	l := clientLock(b, client)
	for b.Loop() {
		if _, err := l.Lock(nil); err != nil {
			b.Fatal(err)
		}
		if err := l.Unlock(); err != nil {
			b.Fatal(err)
		}
	}
}

func clientLock(b *testing.B, client *api.Client) *api.Lock {
	b.Helper()
	session, _, err := client.Session().CreateNoChecks(nil, nil)
	if err != nil {
		b.Fatal(err)
	}
	l, err := client.LockOpts(&api.LockOptions{Key: "k", Session: session})
	if err != nil {
		b.Fatal(err)
	}
	return l
}

// BenchmarkHandOff measures from the call of Release by the holder to the return
// of Acquire to a waiter in another process.
func BenchmarkHandOff(b *testing.B) {
	store := newStore(b)
	srv := serve(b, store, "127.0.0.1:0")
	holder, waiter := mutexOn(b, srv, Config{}), mutexOn(b, srv, Config{})
	lease := mustAcquire(b, holder, "k")
	benchHandOff(b, store, 1, func() { mustRelease(b, lease) }, func() error {
		next, err := waiter.Acquire(background, "k")
		lease, holder, waiter = next, waiter, holder
		return err
	})
	mustRelease(b, lease)
}

// BenchmarkClientHandOff is the same for the Lock of Consul's own client.
func BenchmarkClientHandOff(b *testing.B) {
	store := newStore(b)
	srv := serve(b, store, "127.0.0.1:0")
	holder, waiter := clientLock(b, clientOf(b, srv)), clientLock(b, clientOf(b, srv))
	if _, err := holder.Lock(nil); err != nil {
		b.Fatal(err)
	}
	free := func() {
		if err := holder.Unlock(); err != nil {
			b.Error(err)
		}
	}
	// The holder watches its key as well.
	benchHandOff(b, store, 2, free, func() error {
		_, err := waiter.Lock(nil)
		holder, waiter = waiter, holder
		return err
	})
	free()
}

// benchHandOff calls free once next waits, which shows in the given number of
// blocking queries, and measures until next returns.
func benchHandOff(b *testing.B, store *consul.Store, blocked int, free func(), next func() error) {
	var total time.Duration
	for b.Loop() {
		got := make(chan error)
		go func() { got <- next() }()
		untilBlocked(store, blocked)
		start := time.Now()
		free()
		if err := <-got; err != nil {
			b.Fatal(err)
		}
		total += time.Since(start)
	}
	b.ReportMetric(float64(total.Nanoseconds())/float64(b.N), "ns/hand-off")
}
