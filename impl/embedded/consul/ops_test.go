package consul

import (
	"errors"
	"slices"
	"testing"

	"github.com/hashicorp/consul/api"
)

// world is a store with one key of each kind: free at index, held by a, and
// none at "absent".
type world struct {
	*Store
	a, b       string
	free, held uint64 // their ModifyIndex
}

func newWorld(t *testing.T) world {
	s := newStore(t, Options{})
	w := world{Store: s, a: mustSession(t, s, api.SessionEntry{}), b: mustSession(t, s, api.SessionEntry{})}
	mustDo(t, s, api.KVTxnOp{Verb: api.KVSet, Key: "free", Value: []byte("v")})
	mustDo(t, s, lockOp("held", w.a))
	w.free, w.held = entryAt(t, s, "free").ModifyIndex, entryAt(t, s, "held").ModifyIndex
	return w
}

func TestOperations(t *testing.T) {
	for _, tc := range []struct {
		name    string
		op      func(w world) api.KVTxnOp
		refused bool  // carried out and answered no
		wrong   error // could never succeed
	}{
		{name: "set absent", op: func(w world) api.KVTxnOp { return api.KVTxnOp{Verb: api.KVSet, Key: "absent"} }},
		{name: "set held", op: func(w world) api.KVTxnOp { return api.KVTxnOp{Verb: api.KVSet, Key: "held"} }},
		{name: "cas 0 absent", op: func(w world) api.KVTxnOp { return api.KVTxnOp{Verb: api.KVCAS, Key: "absent"} }},
		{name: "cas 0 present", op: func(w world) api.KVTxnOp { return api.KVTxnOp{Verb: api.KVCAS, Key: "free"} }, refused: true},
		{name: "cas right", op: func(w world) api.KVTxnOp { return api.KVTxnOp{Verb: api.KVCAS, Key: "free", Index: w.free} }},
		{name: "cas stale", op: func(w world) api.KVTxnOp { return api.KVTxnOp{Verb: api.KVCAS, Key: "free", Index: w.free - 1} }, refused: true},
		{name: "cas on absent", op: func(w world) api.KVTxnOp { return api.KVTxnOp{Verb: api.KVCAS, Key: "absent", Index: 7} }, refused: true},
		{name: "lock absent", op: func(w world) api.KVTxnOp { return lockOp("absent", w.b) }},
		{name: "lock free", op: func(w world) api.KVTxnOp { return lockOp("free", w.b) }},
		{name: "lock held", op: func(w world) api.KVTxnOp { return lockOp("held", w.b) }, refused: true},
		{name: "lock again", op: func(w world) api.KVTxnOp { return lockOp("held", w.a) }},
		{name: "lock without session", op: func(w world) api.KVTxnOp { return lockOp("free", "") }, wrong: ErrBadOp},
		{name: "lock by a dead session", op: func(w world) api.KVTxnOp { return lockOp("free", "gone") }, wrong: ErrBadOp},
		{name: "unlock", op: func(w world) api.KVTxnOp { return api.KVTxnOp{Verb: api.KVUnlock, Key: "held", Session: w.a} }},
		{name: "unlock by another", op: func(w world) api.KVTxnOp { return api.KVTxnOp{Verb: api.KVUnlock, Key: "held", Session: w.b} }, refused: true},
		{name: "unlock free", op: func(w world) api.KVTxnOp { return api.KVTxnOp{Verb: api.KVUnlock, Key: "free", Session: w.a} }, refused: true},
		{name: "unlock absent", op: func(w world) api.KVTxnOp { return api.KVTxnOp{Verb: api.KVUnlock, Key: "absent", Session: w.a} }, refused: true},
		{name: "unlock without session", op: func(w world) api.KVTxnOp { return api.KVTxnOp{Verb: api.KVUnlock, Key: "held"} }, wrong: ErrBadOp},
		{name: "delete", op: func(w world) api.KVTxnOp { return api.KVTxnOp{Verb: api.KVDelete, Key: "held"} }},
		{name: "delete absent", op: func(w world) api.KVTxnOp { return api.KVTxnOp{Verb: api.KVDelete, Key: "absent"} }},
		{name: "delete-cas right", op: func(w world) api.KVTxnOp { return api.KVTxnOp{Verb: api.KVDeleteCAS, Key: "free", Index: w.free} }},
		{name: "delete-cas stale", op: func(w world) api.KVTxnOp { return api.KVTxnOp{Verb: api.KVDeleteCAS, Key: "free", Index: 1} }, refused: true},
		{name: "delete-cas absent", op: func(w world) api.KVTxnOp { return api.KVTxnOp{Verb: api.KVDeleteCAS, Key: "absent", Index: 1} }},
		{name: "delete-tree of all", op: func(w world) api.KVTxnOp { return api.KVTxnOp{Verb: api.KVDeleteTree} }},
		{name: "get absent", op: func(w world) api.KVTxnOp { return api.KVTxnOp{Verb: api.KVGet, Key: "absent"} }, refused: true},
		{name: "check-session", op: func(w world) api.KVTxnOp { return api.KVTxnOp{Verb: api.KVCheckSession, Key: "held", Session: w.a} }},
		{name: "check-session of another", op: func(w world) api.KVTxnOp { return api.KVTxnOp{Verb: api.KVCheckSession, Key: "held", Session: w.b} }, refused: true},
		{name: "check-index", op: func(w world) api.KVTxnOp { return api.KVTxnOp{Verb: api.KVCheckIndex, Key: "held", Index: w.held} }},
		{name: "check-index stale", op: func(w world) api.KVTxnOp { return api.KVTxnOp{Verb: api.KVCheckIndex, Key: "held", Index: 1} }, refused: true},
		{name: "check-not-exists", op: func(w world) api.KVTxnOp { return api.KVTxnOp{Verb: api.KVCheckNotExists, Key: "absent"} }},
		{name: "check-not-exists of one", op: func(w world) api.KVTxnOp { return api.KVTxnOp{Verb: api.KVCheckNotExists, Key: "held"} }, refused: true},
		{name: "no key", op: func(w world) api.KVTxnOp { return api.KVTxnOp{Verb: api.KVSet} }, wrong: ErrBadOp},
		{name: "no such verb", op: func(w world) api.KVTxnOp { return api.KVTxnOp{Verb: "rename", Key: "held"} }, wrong: ErrBadOp},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(t)
			ok, err := w.Do(tc.op(w))
			if ok != (!tc.refused && tc.wrong == nil) || !errors.Is(err, tc.wrong) {
				t.Errorf("answer = %v, %v, want %v, %v", ok, err, !tc.refused && tc.wrong == nil, tc.wrong)
			}
		})
	}
}

func TestLockIndexCountsOneLifeOfAKeyAndModifyIndexAllOfThem(t *testing.T) {
	s := newStore(t, Options{})
	id := mustSession(t, s, api.SessionEntry{})
	unlock := api.KVTxnOp{Verb: api.KVUnlock, Key: "k", Session: id}
	var last uint64
	for i, step := range []struct {
		before []api.KVTxnOp
		want   uint64
	}{
		{want: 1},
		{before: []api.KVTxnOp{unlock}, want: 2},
		{before: nil, want: 2}, // the same session again
		{before: []api.KVTxnOp{unlock, {Verb: api.KVSet, Key: "k"}}, want: 1},
		{before: []api.KVTxnOp{{Verb: api.KVDelete, Key: "k"}}, want: 1},
	} {
		for _, op := range step.before {
			mustDo(t, s, op)
		}
		op := lockOp("k", id)
		op.Value = []byte{byte(i)}
		mustDo(t, s, op)
		e := entryAt(t, s, "k")
		if e.LockIndex != step.want || e.ModifyIndex <= last {
			t.Errorf("step %d: LockIndex %d, ModifyIndex %d, want %d and more than %d", i, e.LockIndex, e.ModifyIndex, step.want, last)
		}
		last = e.ModifyIndex
	}
}

func TestWriteThatChangesNothingKeepsTheModifyIndex(t *testing.T) {
	s := newStore(t, Options{})
	put := api.KVTxnOp{Verb: api.KVSet, Key: "k", Value: []byte("v")}
	mustDo(t, s, put)
	first := *entryAt(t, s, "k")
	mustDo(t, s, put)
	if again := *entryAt(t, s, "k"); again.ModifyIndex != first.ModifyIndex {
		t.Errorf("ModifyIndex = %d, want %d", again.ModifyIndex, first.ModifyIndex)
	}
	put.Value = []byte("w")
	mustDo(t, s, put)
	if changed := *entryAt(t, s, "k"); changed.ModifyIndex <= first.ModifyIndex || changed.CreateIndex != first.CreateIndex {
		t.Errorf("indexes after a change = %+v, before %+v", changed, first)
	}
}

func TestPlainWriteKeepsTheHolder(t *testing.T) {
	w := newWorld(t)
	mustDo(t, w.Store, api.KVTxnOp{Verb: api.KVSet, Key: "held", Value: []byte("x")})
	if got := holder(t, w.Store, "held"); got != w.a {
		t.Errorf("holder = %q, want %q", got, w.a)
	}
}

func TestTransactionAppliesAllOrNothing(t *testing.T) {
	w := newWorld(t)
	results, failed, err := w.Txn([]api.KVTxnOp{
		{Verb: api.KVSet, Key: "new", Value: []byte("v")},
		{Verb: api.KVDelete, Key: "free"},
		lockOp("held", w.b),
	})
	if err != nil || results != nil || len(failed) != 1 || failed[0].OpIndex != 2 {
		t.Fatalf("results %v, failed %v, error %v, want the third operation to fail", results, failed, err)
	}
	if entryAt(t, w.Store, "new") != nil || entryAt(t, w.Store, "free") == nil {
		t.Error("part of the failed transaction was applied")
	}

	results, failed, err = w.Txn([]api.KVTxnOp{
		{Verb: api.KVCheckNotExists, Key: "new"},
		{Verb: api.KVLock, Key: "new", Session: w.b, Value: []byte("owner")},
		{Verb: api.KVGet, Key: "new"},
		{Verb: api.KVDelete, Key: "free"},
		{Verb: api.KVGetOrEmpty, Key: "free"},
		{Verb: api.KVGetTree, Key: ""},
	})
	if err != nil || failed != nil {
		t.Fatalf("failed %v, error %v, want success", failed, err)
	}
	var got []string
	for _, e := range results {
		got = append(got, e.Key+"="+string(e.Value))
	}
	if want := []string{"new=", "new=owner", "free=", "held=", "new=owner"}; !slices.Equal(got, want) {
		t.Errorf("results = %q, want %q", got, want)
	}
	if e := entryAt(t, w.Store, "new"); e.ModifyIndex != w.Index() || results[0].ModifyIndex != w.Index() {
		t.Errorf("index of the lock = %d in the answer, %d in the store, want %d", results[0].ModifyIndex, e.ModifyIndex, w.Index())
	}
}

func TestTransactionReportsEveryFailure(t *testing.T) {
	w := newWorld(t)
	_, failed, err := w.Txn([]api.KVTxnOp{
		{Verb: api.KVCheckNotExists, Key: "held"},
		{Verb: api.KVSet, Key: "fine"},
		lockOp("held", "gone"),
	})
	if err != nil || len(failed) != 2 || failed[0].OpIndex != 0 || failed[1].OpIndex != 2 {
		t.Errorf("failed = %v, error %v, want operations 0 and 2", failed, err)
	}
}
