package etcdlock_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/lockstep-sim/lockstep/impl/etcdlock"
	"github.com/lockstep-sim/lockstep/impl/lock"
)

func (w *world) value(key string) string {
	w.t.Helper()
	res, err := w.client.Get(context.Background(), key)
	if err != nil {
		w.t.Fatal(err)
	}
	if len(res.Kvs) == 0 {
		return ""
	}
	return string(res.Kvs[0].Value)
}

func TestAGuardedWriteNeedsTheLock(t *testing.T) {
	w := newWorld(t)
	l := w.locker(etcdlock.Config{})
	a := w.acquire(l, "k")
	if err := etcdlock.GuardedPut(t.Context(), a, "data", "by a"); err != nil {
		t.Fatal(err)
	}
	w.revoke(w.leaseOf(a.EntryKey())) // a believes in its lease still
	b := w.acquire(w.locker(etcdlock.Config{}), "k")
	if err := etcdlock.GuardedPut(t.Context(), b, "data", "by b"); err != nil {
		t.Fatal(err)
	}
	if a.Err() != nil {
		t.Fatal("the stale holder has heard of its loss; this test is about one that has not")
	}
	if err := etcdlock.GuardedPut(t.Context(), a, "data", "stale"); !errors.Is(err, lock.ErrNotHeld) {
		t.Errorf("stale write = %v, want ErrNotHeld", err)
	}
	if got := w.value("data"); got != "by b" {
		t.Errorf("data = %q after a stale write", got)
	}
}

func TestGuardedTxnIsAllOrNothing(t *testing.T) {
	w := newWorld(t)
	l := w.locker(etcdlock.Config{})
	a := w.acquire(l, "k")
	move := []etcdlock.Op{etcdlock.Get("from"), etcdlock.Delete("from"), etcdlock.Put("to", "x", 0)}
	if err := etcdlock.GuardedPut(t.Context(), a, "from", "x"); err != nil {
		t.Fatal(err)
	}
	res, err := etcdlock.GuardedTxn(t.Context(), a, move...)
	if err != nil || len(res.Read) != 3 || res.Read[0][0].Value != "x" {
		t.Fatalf("GuardedTxn = %+v, %v", res, err)
	}
	if w.value("from") != "" || w.value("to") != "x" {
		t.Errorf("from=%q to=%q after the move", w.value("from"), w.value("to"))
	}
	w.release(a)
	if _, err := etcdlock.GuardedTxn(t.Context(), a, etcdlock.Delete("to")); !errors.Is(err, lock.ErrNotHeld) {
		t.Errorf("GuardedTxn after the release = %v, want ErrNotHeld", err)
	}
	if w.value("to") != "x" {
		t.Error("a refused transaction has deleted a key")
	}
}

func TestAGuardedWriteWithoutAnswerSaysSo(t *testing.T) {
	w := newWorld(t)
	wire := newWire()
	a := w.acquire(w.locker(etcdlock.Config{}, wire.options()...), "k")
	wire.onNth(1, answerLost)
	if err := etcdlock.GuardedPut(t.Context(), a, "data", "x"); !errors.Is(err, lock.ErrUnknownOutcome) {
		t.Errorf("GuardedPut = %v, want ErrUnknownOutcome", err)
	}
	if got := w.value("data"); got != "x" {
		t.Errorf("data = %q: the write was carried out", got)
	}
}

func TestAGuardedWriteThatEtcdRefusesChangesNothing(t *testing.T) {
	w := newWorld(t)
	a := w.acquire(w.locker(etcdlock.Config{}), "k")
	var tooMany []etcdlock.Op
	for i := range 200 {
		tooMany = append(tooMany, etcdlock.Put(fmt.Sprint("data", i), "x", 0))
	}
	_, err := etcdlock.GuardedTxn(t.Context(), a, tooMany...)
	if !errors.Is(err, etcdlock.ErrRefused) || errors.Is(err, lock.ErrUnknownOutcome) {
		t.Errorf("GuardedTxn = %v, want ErrRefused", err)
	}
	if keys := w.keys("data"); len(keys) != 0 {
		t.Errorf("%d keys were written", len(keys))
	}
}

func TestTheGuardFitsTheClientsTransactions(t *testing.T) {
	w := newWorld(t)
	a := w.acquire(w.locker(etcdlock.Config{}), "k")
	for i, want := range []bool{true, false} {
		res, err := w.client.Txn(t.Context()).If(a.IsOwner()).Then(clientv3.OpPut("data", "x")).Commit()
		if err != nil || res.Succeeded != want {
			t.Errorf("transaction %d = %v, %v, want succeeded %v", i, res, err, want)
		}
		_ = a.Release(t.Context())
	}
}

func TestAForeignLeaseIsRefused(t *testing.T) {
	if err := etcdlock.GuardedPut(t.Context(), nil, "data", "x"); !errors.Is(err, lock.ErrInvalid) {
		t.Errorf("GuardedPut under no lease = %v, want ErrInvalid", err)
	}
}
