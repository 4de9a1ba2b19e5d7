package consul_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/consul/api"

	"github.com/lockstep-sim/lockstep/impl/embedded/consul"
	"github.com/lockstep-sim/lockstep/internal/realserver"
)

// servers are the servers that the calls below are made on. The real one, where
// it can be had, is the oracle: the wanted answers are its answers.
var servers = map[string]func(t *testing.T) *api.Client{
	"embedded": embedded,
	"consul":   func(t *testing.T) *api.Client { return clientAt(t, realserver.Consul(t).Addr()) },
}

func embedded(t *testing.T) *api.Client {
	t.Helper()
	srv, err := consul.Start(consul.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = srv.Close() })
	return clientAt(t, srv.Addr())
}

func clientAt(t *testing.T, addr string) *api.Client {
	t.Helper()
	c, err := api.NewClient(&api.Config{Address: addr})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// dialogue is a client in the middle of a series of calls.
type dialogue struct {
	*api.Client
	a, b    string // sessions
	indexes []uint64
}

// seen replaces an index by its rank among those seen so far: the numbers differ
// from server to server, their order does not. "=2" is the second one again, "^"
// is larger than all before.
func (d *dialogue) seen(index uint64) string {
	for i, v := range d.indexes {
		if v == index {
			return fmt.Sprintf("=%d", i+1)
		}
	}
	largest := true
	for _, v := range d.indexes {
		largest = largest && index > v
	}
	d.indexes = append(d.indexes, index)
	if largest {
		return "^"
	}
	return "?"
}

func (d *dialogue) key() string {
	e, meta, err := d.KV().Get("o/k", nil)
	if err != nil {
		return "error"
	}
	if e == nil {
		return fmt.Sprintf("none, index %s", positive(meta.LastIndex))
	}
	who := map[string]string{"": "nobody", d.a: "a", d.b: "b"}[e.Session]
	same := map[bool]string{true: "its own", false: "another"}[meta.LastIndex == e.ModifyIndex]
	return fmt.Sprintf("%q of %s, flags %d, lock %d, modified %s, index %s", e.Value, who, e.Flags, e.LockIndex, d.seen(e.ModifyIndex), same)
}

func positive(index uint64) string {
	if index > 0 {
		return "positive"
	}
	return "zero"
}

// answer renders what a conditional call returned.
func answer(ok bool, _ *api.WriteMeta, err error) string {
	if err != nil {
		return "error"
	}
	return fmt.Sprint(ok)
}

func done(_ *api.WriteMeta, err error) string { return answer(true, nil, err) }

func pair(session, value string, flags uint64) *api.KVPair {
	return &api.KVPair{Key: "o/k", Session: session, Value: []byte(value), Flags: flags}
}

func (d *dialogue) txn(ops ...*api.KVTxnOp) string {
	var body api.TxnOps
	for _, op := range ops {
		body = append(body, &api.TxnOp{KV: op})
	}
	ok, result, _, err := d.Txn().Txn(body, nil)
	if err != nil {
		return "error"
	}
	var b strings.Builder
	fmt.Fprint(&b, ok)
	for _, r := range result.Results {
		fmt.Fprintf(&b, " %s(%q, lock %d)", r.KV.Key, r.KV.Value, r.KV.LockIndex)
	}
	for _, e := range result.Errors {
		fmt.Fprintf(&b, " !%d", e.OpIndex)
		for _, words := range []string{"lock delay", "invalid session"} {
			if strings.Contains(e.What, words) {
				fmt.Fprintf(&b, " %s", words)
			}
		}
	}
	return b.String()
}

func (d *dialogue) session(entry api.SessionEntry) (id, said string) {
	id, _, err := d.Session().Create(&entry, nil)
	if err != nil {
		return "", "error"
	}
	return id, "created"
}

// calls are made one after the other.
var calls = []struct {
	name string
	call func(d *dialogue) string
	want string
}{
	{"no key yet", (*dialogue).key, "none, index positive"},
	{"TTL too short", func(d *dialogue) string { _, s := d.session(api.SessionEntry{TTL: "9s"}); return s }, "error"},
	{"TTL too long", func(d *dialogue) string { _, s := d.session(api.SessionEntry{TTL: "25h"}); return s }, "error"},
	{"bad behavior", func(d *dialogue) string { _, s := d.session(api.SessionEntry{Behavior: "x"}); return s }, "error"},
	{"session a", func(d *dialogue) (s string) { d.a, s = d.session(api.SessionEntry{TTL: "1h"}); return s }, "created"},
	{"session b", func(d *dialogue) (s string) {
		d.b, s = d.session(api.SessionEntry{Behavior: "delete", LockDelay: 30 * time.Second})
		return s
	}, "created"},
	{"describe a", func(d *dialogue) string {
		e, _, err := d.Session().Info(d.a, nil)
		if err != nil {
			return "error"
		}
		return fmt.Sprintf("%s %v %s %v", e.TTL, e.LockDelay, e.Behavior, e.NodeChecks)
	}, "1h 15s release [serfHealth]"},
	{"renew a", func(d *dialogue) string { e, _, err := d.Session().Renew(d.a, nil); return fmt.Sprint(e != nil, err) }, "true <nil>"},
	{"renew nobody", func(d *dialogue) string {
		e, _, err := d.Session().Renew("11111111-2222-3333-4444-555555555555", nil)
		return fmt.Sprint(e != nil, err)
	}, "false <nil>"},

	{"a takes", func(d *dialogue) string { return answer(d.KV().Acquire(pair(d.a, "1", 7), nil)) }, "true"},
	{"then", (*dialogue).key, `"1" of a, flags 7, lock 1, modified ^, index its own`},
	{"b is refused", func(d *dialogue) string { return answer(d.KV().Acquire(pair(d.b, "2", 0), nil)) }, "false"},
	{"a takes again, the same", func(d *dialogue) string { return answer(d.KV().Acquire(pair(d.a, "1", 7), nil)) }, "true"},
	{"nothing changed", (*dialogue).key, `"1" of a, flags 7, lock 1, modified =1, index its own`},
	{"a takes again, another value", func(d *dialogue) string { return answer(d.KV().Acquire(pair(d.a, "3", 7), nil)) }, "true"},
	{"it changed", (*dialogue).key, `"3" of a, flags 7, lock 1, modified ^, index its own`},
	{"b cannot release", func(d *dialogue) string { return answer(d.KV().Release(pair(d.b, "", 0), nil)) }, "false"},
	{"nobody cannot take", func(d *dialogue) string { return answer(d.KV().Acquire(pair("", "", 0), nil)) }, "error"},
	{"a dead session cannot take", func(d *dialogue) string {
		return answer(d.KV().Acquire(pair("11111111-2222-3333-4444-555555555555", "", 0), nil))
	}, "error"},
	{"a releases", func(d *dialogue) string { return answer(d.KV().Release(pair(d.a, "4", 8), nil)) }, "true"},
	{"the key stays", (*dialogue).key, `"4" of nobody, flags 8, lock 1, modified ^, index its own`},
	{"b takes", func(d *dialogue) string { return answer(d.KV().Acquire(pair(d.b, "5", 0), nil)) }, "true"},
	{"second acquisition", (*dialogue).key, `"5" of b, flags 0, lock 2, modified ^, index its own`},
	{"a plain write", func(d *dialogue) string { return done(d.KV().Put(pair("", "6", 0), nil)) }, "true"},
	{"keeps the holder only", (*dialogue).key, `"6" of b, flags 0, lock 0, modified ^, index its own`},

	{"cas 0 on a key", func(d *dialogue) string { return answer(d.KV().CAS(pair("", "x", 0), nil)) }, "false"},
	{"stale delete", func(d *dialogue) string {
		return answer(d.KV().DeleteCAS(&api.KVPair{Key: "o/k", ModifyIndex: 1}, nil))
	}, "false"},
	{"delete of nothing", func(d *dialogue) string {
		return answer(d.KV().DeleteCAS(&api.KVPair{Key: "o/none", ModifyIndex: 1}, nil))
	}, "true"},

	{"a transaction that is held up", func(d *dialogue) string {
		return d.txn(&api.KVTxnOp{Verb: api.KVCheckNotExists, Key: "o/k"},
			&api.KVTxnOp{Verb: api.KVLock, Key: "o/k", Session: d.a})
	}, "false !0 !1"},
	{"of a dead session", func(d *dialogue) string {
		return d.txn(&api.KVTxnOp{Verb: api.KVCheckNotExists, Key: "o/t"},
			&api.KVTxnOp{Verb: api.KVLock, Key: "o/t", Session: "11111111-2222-3333-4444-555555555555"})
	}, "false !1 invalid session"},
	{"that succeeds", func(d *dialogue) string {
		return d.txn(&api.KVTxnOp{Verb: api.KVCheckNotExists, Key: "o/t"},
			&api.KVTxnOp{Verb: api.KVLock, Key: "o/t", Session: d.a, Value: []byte("v")},
			&api.KVTxnOp{Verb: api.KVGet, Key: "o/t"})
	}, `true o/t("", lock 1) o/t("v", lock 1)`},
	{"that checks and deletes", func(d *dialogue) string {
		e, _, err := d.KV().Get("o/t", nil)
		if err != nil {
			return "error"
		}
		return d.txn(&api.KVTxnOp{Verb: api.KVCheckIndex, Key: "o/t", Index: e.ModifyIndex},
			&api.KVTxnOp{Verb: api.KVDelete, Key: "o/t"})
	}, `true o/t("", lock 1)`},

	{"b is destroyed", func(d *dialogue) string { return done(d.Session().Destroy(d.b, nil)) }, "true"},
	{"with its key", (*dialogue).key, "none, index positive"},
	{"and the lock-delay begins", func(d *dialogue) string { return answer(d.KV().Acquire(pair(d.a, "7", 0), nil)) }, "false"},
	{"for transactions too", func(d *dialogue) string {
		return d.txn(&api.KVTxnOp{Verb: api.KVCheckNotExists, Key: "o/k"},
			&api.KVTxnOp{Verb: api.KVLock, Key: "o/k", Session: d.a})
	}, "false !1 lock delay"},
	{"but not for plain writes", func(d *dialogue) string { return done(d.KV().Put(pair("", "8", 0), nil)) }, "true"},
	{"a new life", (*dialogue).key, `"8" of nobody, flags 0, lock 0, modified ^, index its own`},

	{"an old index does not wait", func(d *dialogue) string {
		_, meta, err := d.KV().Get("o/k", &api.QueryOptions{WaitIndex: 1, WaitTime: time.Hour})
		return fmt.Sprintf("%s %v", d.seen(meta.LastIndex), err)
	}, "=6 <nil>"},
	{"the present one waits", func(d *dialogue) string {
		start, index := time.Now(), d.indexes[len(d.indexes)-1]
		_, meta, err := d.KV().Get("o/k", &api.QueryOptions{WaitIndex: index, WaitTime: 50 * time.Millisecond})
		return fmt.Sprintf("%s %v %v", d.seen(meta.LastIndex), err, time.Since(start) >= 50*time.Millisecond)
	}, "=6 <nil> true"},
	{"the list of what is left", func(d *dialogue) string {
		keys, _, err := d.KV().Keys("o/", "", nil)
		return fmt.Sprint(keys, err)
	}, "[o/k] <nil>"},
	{"nothing is left", func(d *dialogue) string { return done(d.KV().DeleteTree("o/", nil)) }, "true"},
	{"for good", (*dialogue).key, "none, index positive"},
}

func TestServersAnswerAlike(t *testing.T) {
	for name, client := range servers {
		t.Run(name, func(t *testing.T) {
			d := &dialogue{Client: client(t)}
			for _, c := range calls {
				if got := c.call(d); got != c.want {
					t.Errorf("%s: %s, want %s", c.name, got, c.want)
				}
			}
		})
	}
}
