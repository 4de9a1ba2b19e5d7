package tui

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

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

func (t *tape) call(at int64, client, doing string) *trace.Event {
	asks := ""
	if strings.HasPrefix(doing, "acquire") {
		asks = lockKey
	}
	return t.add(at, trace.Event{Actor: client, Kind: trace.KindCall, Text: doing, Doing: &doing, Asks: &asks})
}

func (t *tape) ret(at int64, client, outcome string) *trace.Event {
	idle := ""
	return t.add(at, trace.Event{Actor: client, Kind: trace.KindReturn, Text: outcome, Doing: &idle, Asks: &idle})
}

// acquire is a whole acquisition that succeeds at once, by SET NX PX. It returns
// the event in which the client is told.
func (t *tape) acquire(at int64, client, action, grant string, ttl int64) *trace.Event {
	t.call(at, client, action)
	command := fmt.Sprintf("SET %s %s NX PX %d", lockKey, grant, ttl)
	exec, _ := t.exchange(at, client, "redis", command, "OK", acquireGo, 12)
	exec.Changes = []trace.KeyChange{{Store: exec.Actor, Key: lockKey, Value: grant, Expires: exec.At + ttl*ms, TTL: ttl * ms}}
	exec.Truths = []trace.Truth{{Lock: lockKey, Owner: client, Grant: grant}}
	verb, _, _ := strings.Cut(action, " ")
	told := t.ret(at+2, client, fmt.Sprintf("%s: granted as %s, until %dms", verb, grant, at+ttl))
	told.Beliefs = []trace.Belief{{Actor: client, Lock: lockKey, Holds: true, Owner: grant, Until: (at + ttl) * ms}}
	return told
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
	acquireGo  = "impl/redislock/acquire.go"
	releaseLua = "impl/redislock/release.lua"
	plainGo    = "impl/redislock/antipattern/plaindelete.go"
)

// misDelete is redis/02-del-mis-delete as it goes with a plain DEL or with a
// compare-and-delete.
func misDelete(variant string) *trace.Trace {
	t := &tape{}
	t.acquire(0, "A", "acquire", "A#1", 300)
	t.call(2, "A", "work 400ms")
	t.call(100, "B", "try")
	t.exchange(100, "B", "redis", "SET "+lockKey+" B#1 NX PX 5000", "(nil)", acquireGo, 12)
	t.ret(102, "B", "try: not-acquired")
	t.add(300, trace.Event{Actor: "A", Kind: trace.KindBelief, Text: "its lease is over: lock lost", Beliefs: noBelief("A")})
	freed(t.add(301, trace.Event{Actor: "redis", Kind: trace.KindExpire, Text: lockKey + " expires"}))
	t.acquire(350, "B", "acquire ttl=5s", "B#2", 5000)
	t.call(352, "B", "work 2s")
	t.call(402, "A", "release")
	if variant == "del-unlock" {
		misDeleteEnd(t)
	} else {
		compareAndDeleteEnd(t)
	}
	return t.trace(trace.Header{
		Scenario: misDeleteID, Variant: variant, Lock: lockKey,
		Actors: []trace.Actor{
			{Name: "A", Role: trace.RoleClient}, {Name: "B", Role: trace.RoleClient},
			{Name: "C", Role: trace.RoleClient}, {Name: "redis", Role: trace.RoleStore},
		},
		Checks: []string{"mutual-exclusion", "only-owner-releases", "eventual-release"},
	}, trace.Mark{Name: "granted", At: 0}, trace.Mark{Name: "a-expires", At: 300 * ms},
		trace.Mark{Name: "a-wakes", At: 402 * ms}, trace.Mark{Name: "c-enters", At: 452 * ms})
}

func misDeleteEnd(t *tape) {
	exec, _ := t.exchange(402, "A", "redis", "DEL "+lockKey, "1", plainGo, 9)
	freed(exec)
	exec.Violations = []trace.Violation{{
		Invariant: "only-owner-releases", Reason: "A took " + lockKey + " away from B with DEL " + lockKey,
	}}
	t.ret(404, "A", "release: not-held").State = trace.StateDone
	t.acquire(452, "C", "acquire", "C#1", 300).Violations = []trace.Violation{{
		Invariant: "mutual-exclusion", Reason: "B and C believe that they hold " + lockKey,
	}}
	t.call(454, "C", "work 100ms")
	t.call(554, "C", "release").Beliefs = noBelief("C")
	exec, _ = t.exchange(554, "C", "redis", "DEL "+lockKey, "1", plainGo, 9)
	freed(exec)
	t.ret(556, "C", "release: ok").State = trace.StateDone
	t.call(2352, "B", "release").Beliefs = noBelief("B")
	t.exchange(2352, "B", "redis", "DEL "+lockKey, "0", plainGo, 9)
	t.ret(2354, "B", "release: not-held").State = trace.StateDone
}

func compareAndDeleteEnd(t *tape) {
	t.exchange(402, "A", "redis", "release.lua "+lockKey+" A#1", "0", releaseLua, 3)
	t.ret(404, "A", "release: not-held").State = trace.StateDone
	t.call(452, "C", "acquire")
	t.exchange(452, "C", "redis", "SET "+lockKey+" C#1 NX PX 300", "(nil)", acquireGo, 12)
	t.call(2352, "B", "release").Beliefs = noBelief("B")
	exec, _ := t.exchange(2352, "B", "redis", "release.lua "+lockKey+" B#2", "1", releaseLua, 4)
	freed(exec)
	t.ret(2354, "B", "release: ok").State = trace.StateDone
}

// longPause has what the first fixture lacks: a pause, a belief that contradicts
// the store, a lost and a late message, a resource, a crash.
func longPause() *trace.Trace {
	t := &tape{}
	t.acquire(0, "A", "acquire", "A#1", 10000)
	t.call(2, "A", "work 16s")
	t.add(500, trace.Event{Actor: "A", Kind: trace.KindFault, Text: "is paused for 15s", State: trace.StatePaused})
	freed(t.add(10001, trace.Event{Actor: "redis", Kind: trace.KindExpire, Text: lockKey + " expires"}))
	t.acquire(11000, "B", "acquire", "B#1", 10000)
	t.call(11002, "B", "write stock=7")
	exec, _ := t.exchange(11002, "B", "stock", "WRITE stock = 7 token 34", "7", "impl/fencing/resource.go", 6)
	exec.Changes = []trace.KeyChange{{Store: "stock", Key: "stock", Value: "7"}}
	renew := trace.Event{Actor: "B", Peer: "redis", Text: "PEXPIRE " + lockKey + " 10000"}
	t.one(12000, trace.KindSend, renew)
	t.msg--
	renew.Text = "the request is lost"
	t.one(12001, trace.KindLost, renew)
	t.add(15500, trace.Event{Actor: "A", Kind: trace.KindResume, Text: "resumes", State: trace.StateRunning})
	t.add(15500, trace.Event{Actor: "A", Kind: trace.KindBelief, Text: "its lease is over: lock lost", Beliefs: noBelief("A")})
	t.call(15501, "A", "write stock=3")
	t.exchange(15501, "A", "stock", "WRITE stock = 3 token 33", "rejected", "impl/fencing/resource.go", 4)
	t.add(16000, trace.Event{Actor: "B", Kind: trace.KindFault, Text: "crashes", State: trace.StateCrashed, Beliefs: noBelief("B")})
	t.one(16500, trace.KindSend, trace.Event{Actor: "A", Peer: "redis", Text: "GET " + lockKey})
	return t.trace(trace.Header{
		Scenario: "redis/15-long-pause", Variant: "fenced", Lock: lockKey,
		Actors: []trace.Actor{
			{Name: "A", Role: trace.RoleClient}, {Name: "B", Role: trace.RoleClient},
			{Name: "redis", Role: trace.RoleStore}, {Name: "stock", Role: trace.RoleResource},
		},
		Checks: []string{"mutual-exclusion", "no-stale-write"},
	}, trace.Mark{Name: "asleep", At: 500 * ms})
}

// one adds a single event of a new message.
func (t *tape) one(at int64, kind trace.Kind, e trace.Event) {
	t.msg++
	e.Kind, e.Msg = kind, t.msg
	t.add(at, e)
}

// late is a run in which an answer takes three seconds.
func late() *trace.Trace {
	t := &tape{}
	exec, recv := t.exchange(0, "A", "redis", "GET k", "1", "", 0)
	exec.At, recv.At = ms, 3001*ms
	return t.trace(trace.Header{Actors: []trace.Actor{{Name: "A", Role: trace.RoleClient}, {Name: "redis", Role: trace.RoleStore}}})
}

// crowd is a run with many clients and no marks, of 4·n events. Every fifth
// request is granted, although the lock is taken.
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
		at, name, grant := int64(i)*4, h.Actors[1+i%clients].Name, fmt.Sprintf("#%d", i)
		t.call(at, name, "acquire")
		exec, recv := t.exchange(at, name, "redis", fmt.Sprintf("SET %s %s NX PX 3000", lockKey, grant), "OK", acquireGo, 12)
		if i%5 == 0 {
			exec.Changes = []trace.KeyChange{{Store: "redis", Key: lockKey, Value: grant, Expires: (at + 3001) * ms, TTL: 3000 * ms}}
			exec.Truths = []trace.Truth{{Lock: lockKey, Owner: name, Grant: grant}}
			recv.Beliefs = []trace.Belief{{Actor: name, Lock: lockKey, Holds: true, Owner: grant, Until: (at + 3000) * ms}}
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
	releaseLua: "-- Deletes the lock if it still belongs to the caller.\nlocal owner = redis.call('GET', KEYS[1])\n" +
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
