package tui

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/lockstep-sim/lockstep/sim/trace"
)

const (
	ms      = int64(1_000_000)
	lockKey = "lock:order:1"
)

// tape writes traces by hand. Times are in milliseconds.
type tape struct {
	events []trace.Event
	msg    int
}

func (t *tape) add(at int64, e trace.Event) *trace.Event {
	e.At = at * ms
	t.events = append(t.events, e)
	return &t.events[len(t.events)-1]
}

// exchange is a request with its answer, one millisecond each way.
func (t *tape) exchange(at int64, client, store, command, reply, source string, line int) (exec, recv *trace.Event) {
	t.msg++
	src := trace.Source{File: source, Line: line}
	t.add(at, trace.Event{Actor: client, Peer: store, Kind: trace.KindSend, Text: command, Msg: t.msg, Source: src})
	n := len(t.events)
	t.add(at+1, trace.Event{Actor: store, Peer: client, Kind: trace.KindExec, Text: command, Reply: reply, Msg: t.msg, Source: src})
	t.add(at+2, trace.Event{Actor: client, Peer: store, Kind: trace.KindReceive, Text: command, Reply: reply, Msg: t.msg, Source: src})
	return &t.events[n], &t.events[n+1]
}

func (t *tape) call(at int64, client, doing string) {
	t.add(at, trace.Event{Actor: client, Kind: trace.KindCall, Text: doing, Doing: &doing})
}

func (t *tape) ret(at int64, client, outcome string) *trace.Event {
	idle := ""
	return t.add(at, trace.Event{Actor: client, Kind: trace.KindReturn, Text: outcome, Doing: &idle})
}

// granted makes an exchange a successful SET NX PX.
func granted(exec, recv *trace.Event, client, grant string, ttl int64) {
	exec.Changes = []trace.KeyChange{{Store: exec.Actor, Key: lockKey, Value: grant, Expires: exec.At + ttl*ms, TTL: ttl * ms}}
	exec.Truths = []trace.Truth{{Lock: lockKey, Owner: client, Grant: grant}}
	recv.Beliefs = []trace.Belief{{Actor: client, Lock: lockKey, Holds: true, Owner: grant, Until: recv.At - 2*ms + ttl*ms}}
}

// freed makes an event the one that removes the key of the lock.
func freed(e *trace.Event) {
	e.Changes = []trace.KeyChange{{Store: "redis", Key: lockKey, Deleted: true}}
	e.Truths = []trace.Truth{{Lock: lockKey}}
}

func noBelief(client string) []trace.Belief {
	return []trace.Belief{{Actor: client, Lock: lockKey}}
}

// trace finishes the tape: events in order of time, steps numbered.
func (t *tape) trace(h trace.Header, marks ...trace.Mark) *trace.Trace {
	slices.SortStableFunc(t.events, func(a, b trace.Event) int { return cmp.Compare(a.At, b.At) })
	for i := range t.events {
		t.events[i].Step = i + 1
		h.End = t.events[i].At
	}
	return trace.New(h, t.events, marks)
}

const (
	acquireGo = "impl/redislock/acquire.go"
	releaseGo = "impl/redislock/release.go"
	plainGo   = "impl/redislock/antipattern/plaindelete.go"
)

// misDelete is redis/02-del-mis-delete as it goes with a plain DEL or with a
// compare-and-delete.
func misDelete(variant string) *trace.Trace {
	broken := variant == "del-unlock"
	t := &tape{}
	t.call(0, "A", "acquire")
	granted2(t.exchange(0, "A", "redis", "SET "+lockKey+" A#1 NX PX 300", "OK", acquireGo, 12))("A", "A#1", 300)
	t.ret(2, "A", "ok")
	t.call(2, "A", "work 400ms")
	t.call(100, "B", "try")
	t.exchange(100, "B", "redis", "SET "+lockKey+" B#1 NX PX 5000", "(nil)", acquireGo, 12)
	t.ret(102, "B", "not-acquired")
	t.add(300, trace.Event{Actor: "A", Kind: trace.KindBelief, Text: "its lease is over", Beliefs: noBelief("A")})
	freed(t.add(301, trace.Event{Actor: "redis", Kind: trace.KindExpire, Text: lockKey}))
	t.call(350, "B", "acquire ttl=5s")
	granted2(t.exchange(350, "B", "redis", "SET "+lockKey+" B#2 NX PX 5000", "OK", acquireGo, 12))("B", "B#2", 5000)
	t.ret(352, "B", "ok")
	t.call(352, "B", "work 2s")
	t.call(402, "A", "release")
	end := misDeleteEnd
	if !broken {
		end = compareAndDeleteEnd
	}
	end(t)
	return t.trace(trace.Header{
		Scenario: "redis/02-del-mis-delete", Variant: variant, Lock: lockKey,
		Actors: []trace.Actor{
			{Name: "A", Role: trace.RoleClient}, {Name: "B", Role: trace.RoleClient},
			{Name: "C", Role: trace.RoleClient}, {Name: "redis", Role: trace.RoleStore},
		},
		Checks: []string{"mutual-exclusion", "only-owner-releases", "eventual-release"},
	}, trace.Mark{Name: "granted", At: 0}, trace.Mark{Name: "a-expires", At: 300 * ms},
		trace.Mark{Name: "a-wakes", At: 402 * ms}, trace.Mark{Name: "c-enters", At: 452 * ms})
}

func granted2(exec, recv *trace.Event) func(client, grant string, ttl int64) {
	return func(client, grant string, ttl int64) { granted(exec, recv, client, grant, ttl) }
}

func misDeleteEnd(t *tape) {
	exec, _ := t.exchange(402, "A", "redis", "DEL "+lockKey, "1", plainGo, 9)
	freed(exec)
	exec.Violations = []trace.Violation{{
		Invariant: "only-owner-releases", Reason: "A took " + lockKey + " away from B with DEL " + lockKey,
	}}
	t.ret(404, "A", "not-held").State = trace.StateDone
	t.call(452, "C", "acquire")
	exec, recv := t.exchange(452, "C", "redis", "SET "+lockKey+" C#1 NX PX 300", "OK", acquireGo, 12)
	granted(exec, recv, "C", "C#1", 300)
	recv.Violations = []trace.Violation{{
		Invariant: "mutual-exclusion", Reason: "B and C believe that they hold " + lockKey,
	}}
	t.ret(454, "C", "ok")
	t.call(454, "C", "work 100ms")
	t.call(554, "C", "release")
	exec, recv = t.exchange(554, "C", "redis", "DEL "+lockKey, "1", plainGo, 9)
	freed(exec)
	recv.Beliefs = noBelief("C")
	t.ret(556, "C", "ok").State = trace.StateDone
	t.call(2352, "B", "release")
	_, recv = t.exchange(2352, "B", "redis", "DEL "+lockKey, "0", plainGo, 9)
	recv.Beliefs = noBelief("B")
	t.ret(2354, "B", "not-held").State = trace.StateDone
}

func compareAndDeleteEnd(t *tape) {
	t.exchange(402, "A", "redis", "EVALSHA release "+lockKey+" A#1", "0", "impl/redislock/release.lua", 3)
	t.ret(404, "A", "not-held").State = trace.StateDone
	t.call(452, "C", "acquire")
	t.exchange(452, "C", "redis", "SET "+lockKey+" C#1 NX PX 300", "(nil)", acquireGo, 12)
	t.call(2352, "B", "release")
	exec, recv := t.exchange(2352, "B", "redis", "EVALSHA release "+lockKey+" B#2", "1", "impl/redislock/release.lua", 4)
	freed(exec)
	recv.Beliefs = noBelief("B")
	t.ret(2354, "B", "ok").State = trace.StateDone
}

// longPause has what the first fixture lacks: a pause, a belief that contradicts
// the store, a lost and a late message, a resource, a crash.
func longPause() *trace.Trace {
	t := &tape{}
	t.call(0, "A", "acquire")
	granted2(t.exchange(0, "A", "redis", "SET "+lockKey+" A#1 NX PX 10000", "OK", acquireGo, 12))("A", "A#1", 10000)
	t.ret(2, "A", "ok")
	t.call(2, "A", "work 16s")
	t.add(500, trace.Event{Actor: "A", Kind: trace.KindFault, Text: "pause 15s", State: trace.StatePaused})
	freed(t.add(10001, trace.Event{Actor: "redis", Kind: trace.KindExpire, Text: lockKey}))
	t.call(11000, "B", "acquire")
	granted2(t.exchange(11000, "B", "redis", "SET "+lockKey+" B#1 NX PX 10000", "OK", acquireGo, 12))("B", "B#1", 10000)
	t.ret(11002, "B", "ok")
	t.call(11002, "B", "write stock=7")
	exec, _ := t.exchange(11002, "B", "stock", "write 7 token=34", "accepted", "impl/fencing/resource.go", 6)
	exec.Changes = []trace.KeyChange{{Store: "stock", Key: "stock", Value: "7"}}
	t.msg++
	t.add(12000, trace.Event{Actor: "B", Peer: "redis", Kind: trace.KindSend, Text: "PEXPIRE " + lockKey + " 10000", Msg: t.msg})
	t.add(12001, trace.Event{Actor: "B", Peer: "redis", Kind: trace.KindLost, Text: "PEXPIRE " + lockKey + " 10000", Msg: t.msg})
	t.add(15500, trace.Event{Actor: "A", Kind: trace.KindResume, Text: "runs again", State: trace.StateRunning})
	t.add(15500, trace.Event{Actor: "A", Kind: trace.KindBelief, Text: "its lease is over: lost", Beliefs: noBelief("A")})
	t.call(15501, "A", "write stock=3")
	t.exchange(15501, "A", "stock", "write 3 token=33", "rejected", "impl/fencing/resource.go", 4)
	t.add(16000, trace.Event{Actor: "B", Kind: trace.KindFault, Text: "crash", State: trace.StateCrashed, Beliefs: noBelief("B")})
	t.msg++
	t.add(16500, trace.Event{Actor: "A", Peer: "redis", Kind: trace.KindSend, Text: "GET " + lockKey, Msg: t.msg})
	return t.trace(trace.Header{
		Scenario: "redis/15-long-pause", Variant: "fenced", Lock: lockKey,
		Actors: []trace.Actor{
			{Name: "A", Role: trace.RoleClient}, {Name: "B", Role: trace.RoleClient},
			{Name: "redis", Role: trace.RoleStore}, {Name: "stock", Role: trace.RoleResource},
		},
		Checks: []string{"mutual-exclusion", "no-stale-write"},
	}, trace.Mark{Name: "asleep", At: 500 * ms})
}

// crowd is a run with many clients and no marks. Its length is about 4·n.
func crowd(clients, n int) *trace.Trace {
	t := &tape{}
	h := trace.Header{
		Scenario: "crowd", Variant: "only", Lock: lockKey, Checks: []string{"mutual-exclusion"},
		Actors: []trace.Actor{{Name: "redis", Role: trace.RoleStore}},
	}
	for i := range clients {
		h.Actors = append(h.Actors, trace.Actor{Name: fmt.Sprintf("w%d", i+1), Role: trace.RoleClient})
	}
	for i := range n {
		at := int64(i) * 4
		name := h.Actors[1+i%clients].Name
		t.call(at, name, "acquire")
		exec, recv := t.exchange(at, name, "redis", fmt.Sprintf("SET %s %s#%d NX PX 3000", lockKey, name, i), "OK", acquireGo, 12)
		if i%5 == 0 {
			granted(exec, recv, name, fmt.Sprintf("%s#%d", name, i), 3000)
		}
	}
	return t.trace(h)
}

var fixtureSources = map[string]string{
	acquireGo: "package redislock\n\n// tryAcquire makes one attempt.\nfunc (m *Mutex) tryAcquire(ctx context.Context, key string) (*Lease, error) {\n" +
		"\towner := m.newOwner()\n\t// The deadline counts from before the request is sent, so that it is\n\t// never later than the server's own.\n" +
		"\tdeadline := m.clk.Now().Add(m.ttl)\n\tctx, cancel := m.clk.WithTimeout(ctx, m.requestTimeout)\n\tdefer cancel()\n\n" +
		"\tok, err := m.rdb.SetNX(ctx, key, owner, m.ttl).Result()\n\tif err != nil {\n\t\treturn nil, m.undo(ctx, key, owner, err)\n\t}\n" +
		"\tif !ok {\n\t\treturn nil, lock.ErrNotAcquired\n\t}\n\treturn m.lease(key, owner, deadline), nil\n}\n",
	plainGo: "package antipattern\n\n// Release deletes the key, whoever owns it by now.\nfunc (l *plainLease) Release(ctx context.Context) error {\n" +
		"\tended := l.End(lock.ErrReleased)\n\tctx, cancel := l.clk.WithTimeout(ctx, l.timeout)\n\tdefer cancel()\n" +
		"\t// The mistake: no look at the owner.\n\tn, err := l.rdb.Del(ctx, l.Key()).Result()\n\tif err != nil {\n\t\treturn err\n\t}\n\treturn l.outcome(ended, n)\n}\n",
	"impl/redislock/release.lua": "-- Deletes the lock if it still belongs to the caller.\nlocal owner = redis.call('GET', KEYS[1])\n" +
		"if owner ~= ARGV[1] then return 0 end\nreturn redis.call('DEL', KEYS[1])\n",
}

// fakeLibrary serves the fixtures.
type fakeLibrary struct{ opened []runID }

var errFixture = errors.New("scenarios/redis/09-failover.scn:3:1: unknown store \"redsi\": did you mean \"redis\"?")

func (f *fakeLibrary) Open(_ context.Context, id, variant string) (*Recording, error) {
	f.opened = append(f.opened, runID{id, variant})
	switch id {
	case "redis/02-del-mis-delete":
		return &Recording{Trace: misDelete(variant), Texts: misDeleteTexts}, nil
	case "redis/15-long-pause":
		return &Recording{Trace: longPause()}, nil
	case "why/02-granularity":
		return &Recording{Trace: crowd(12, 40)}, nil
	default:
		return nil, errFixture
	}
}

func (f *fakeLibrary) Source(file string) (string, error) {
	if text, ok := fixtureSources[file]; ok {
		return text, nil
	}
	return "", fmt.Errorf("%s: no such source", file)
}
