package consul

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/consul/api"
)

func TestClientReadsAndWritesKeys(t *testing.T) {
	s := newStore(t, Options{})
	kv := clientOf(t, s).KV()
	if e, meta, err := kv.Get("a/k", nil); e != nil || err != nil || meta.LastIndex == 0 {
		t.Fatalf("get of nothing = %v, %+v, %v", e, meta, err)
	}
	if _, err := kv.Put(&api.KVPair{Key: "a/k", Value: []byte("v"), Flags: 7}, nil); err != nil {
		t.Fatal(err)
	}
	e, meta, err := kv.Get("a/k", nil)
	if err != nil || string(e.Value) != "v" || e.Flags != 7 || meta.LastIndex != e.ModifyIndex || !meta.KnownLeader {
		t.Fatalf("get = %+v, %+v, %v", e, meta, err)
	}
	e.Value = []byte("w")
	if ok, _, err := kv.CAS(e, nil); !ok || err != nil {
		t.Fatalf("cas = %v, %v", ok, err)
	}
	if ok, _, err := kv.CAS(e, nil); ok || err != nil {
		t.Fatalf("stale cas = %v, %v", ok, err)
	}
	for _, key := range []string{"a/k 2", "a/ü?%/x", "b"} {
		if _, err := kv.Put(&api.KVPair{Key: key}, nil); err != nil {
			t.Fatalf("put %q: %v", key, err)
		}
	}
	keys, _, err := kv.Keys("a/", "/", nil)
	if want := []string{"a/k", "a/k 2", "a/ü?%/"}; err != nil || !slices.Equal(keys, want) {
		t.Errorf("keys = %q, %v, want %q", keys, err, want)
	}
	if list, _, err := kv.List("a/", nil); err != nil || len(list) != 3 {
		t.Errorf("list = %v, %v, want three", list, err)
	}
	if ok, _, err := kv.DeleteCAS(&api.KVPair{Key: "a/k", ModifyIndex: 1}, nil); ok || err != nil {
		t.Errorf("stale delete = %v, %v", ok, err)
	}
	if _, err := kv.DeleteTree("a/", nil); err != nil {
		t.Fatal(err)
	}
	if keys, _, err := kv.Keys("", "", nil); err != nil || !slices.Equal(keys, []string{"b"}) {
		t.Errorf("keys after the deletion = %q, %v, want b", keys, err)
	}
}

func TestClientManagesSessions(t *testing.T) {
	s := newStore(t, Options{Node: "n1"})
	c := clientOf(t, s)
	for _, tc := range []struct {
		name   string
		entry  *api.SessionEntry
		create func(*api.SessionEntry, *api.WriteOptions) (string, *api.WriteMeta, error)
		delay  time.Duration
		checks int
	}{
		{"defaults", nil, c.Session().Create, 15 * time.Second, 1},
		{"own delay", &api.SessionEntry{TTL: "10s", LockDelay: 3 * time.Second}, c.Session().Create, 3 * time.Second, 1},
		{"no checks", &api.SessionEntry{TTL: "10s"}, c.Session().CreateNoChecks, 15 * time.Second, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			id, _, err := tc.create(tc.entry, nil)
			if err != nil {
				t.Fatal(err)
			}
			e, _, err := c.Session().Info(id, nil)
			if err != nil || e == nil {
				t.Fatalf("info = %v, %v", e, err)
			}
			if e.LockDelay != tc.delay || len(e.NodeChecks) != tc.checks || e.Node != "n1" || e.Behavior != api.SessionBehaviorRelease {
				t.Errorf("session = %+v", e)
			}
			if e, _, err := c.Session().Renew(id, nil); e == nil || err != nil {
				t.Errorf("renew = %v, %v", e, err)
			}
			if _, err := c.Session().Destroy(id, nil); err != nil {
				t.Error(err)
			}
			if e, _, err := c.Session().Renew(id, nil); e != nil || err != nil {
				t.Errorf("renew after the end = %v, %v, want nothing", e, err)
			}
			if e, _, err := c.Session().Info(id, nil); e != nil || err != nil {
				t.Errorf("info after the end = %v, %v, want nothing", e, err)
			}
		})
	}
	if _, _, err := c.Session().Create(&api.SessionEntry{TTL: "1s"}, nil); err == nil {
		t.Error("a TTL of 1 s was accepted")
	}
	id, _, err := c.Session().Create(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, list := range map[string]func() ([]*api.SessionEntry, *api.QueryMeta, error){
		"list": func() ([]*api.SessionEntry, *api.QueryMeta, error) { return c.Session().List(nil) },
		"node": func() ([]*api.SessionEntry, *api.QueryMeta, error) { return c.Session().Node("n1", nil) },
	} {
		if got, _, err := list(); err != nil || len(got) != 1 || got[0].ID != id {
			t.Errorf("%s = %v, %v, want the one session", name, got, err)
		}
	}
	if got, _, err := c.Session().Node("n2", nil); err != nil || len(got) != 0 {
		t.Errorf("sessions of another node = %v, %v", got, err)
	}
}

func TestClientRunsTransactions(t *testing.T) {
	s := newStore(t, Options{})
	c := clientOf(t, s)
	id := mustSession(t, s, api.SessionEntry{})
	ops := api.TxnOps{
		{KV: &api.KVTxnOp{Verb: api.KVCheckNotExists, Key: "k"}},
		{KV: &api.KVTxnOp{Verb: api.KVLock, Key: "k", Session: id, Value: []byte("owner")}},
	}
	ok, answer, _, err := c.Txn().Txn(ops, nil)
	if !ok || err != nil || len(answer.Results) != 1 || answer.Results[0].KV.Session != id {
		t.Fatalf("transaction = %v, %+v, %v", ok, answer, err)
	}
	if e := entryAt(t, s, "k"); string(e.Value) != "owner" {
		t.Errorf("value = %q, want owner", e.Value)
	}
	ok, answer, _, err = c.Txn().Txn(ops, nil)
	if ok || err != nil || len(answer.Errors) != 1 || answer.Errors[0].OpIndex != 0 {
		t.Errorf("second transaction = %v, %+v, %v, want a conflict in operation 0", ok, answer, err)
	}
	_, _, _, err = c.Txn().Txn(api.TxnOps{{Node: &api.NodeTxnOp{Verb: api.NodeGet}}}, nil)
	if err == nil || !strings.Contains(err.Error(), "not support") {
		t.Errorf("transaction on a node: %v, want a refusal", err)
	}
	if _, _, _, err = c.Txn().Txn(make(api.TxnOps, maxTxnOps+1), nil); err == nil {
		t.Error("too many operations were accepted")
	}
}

func TestClientFindsAnAgent(t *testing.T) {
	c := clientOf(t, newStore(t, Options{Node: "n1", Datacenter: "lab"}))
	self, err := c.Agent().Self()
	if err != nil || self["Config"]["NodeName"] != "n1" || self["Config"]["Datacenter"] != "lab" {
		t.Errorf("self = %v, %v", self, err)
	}
	if leader, err := c.Status().Leader(); err != nil || leader == "" {
		t.Errorf("leader = %q, %v", leader, err)
	}
	if peers, err := c.Status().Peers(); err != nil || len(peers) != 1 {
		t.Errorf("peers = %v, %v", peers, err)
	}
}
