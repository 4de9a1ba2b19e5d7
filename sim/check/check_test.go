package check

import (
	"strings"
	"testing"
	"time"

	"github.com/lockstep-sim/lockstep/sim/trace"
)

// history is a run in a few words: each event is what somebody does.
type history []trace.Event

func believes(actor, grant string, token uint64) trace.Event {
	return trace.Event{Actor: actor, Kind: trace.KindReturn, Beliefs: []trace.Belief{
		{Actor: actor, Lock: "l", Holds: true, Owner: grant, Token: token}}}
}

func stops(actor string) trace.Event {
	return trace.Event{Actor: actor, Kind: trace.KindBelief, Beliefs: []trace.Belief{{Actor: actor, Lock: "l"}}}
}

func granted(actor, grant string, expires int64) trace.Event {
	return trace.Event{
		Actor: "redis", Kind: trace.KindExec, Peer: actor, Text: "SET l",
		Truths:  []trace.Truth{{Lock: "l", Owner: actor, Grant: grant}},
		Changes: []trace.KeyChange{{Store: "redis", Key: "l", Value: grant, Expires: expires}},
	}
}

func freed(by string) trace.Event {
	return trace.Event{
		Actor: "redis", Kind: trace.KindExec, Peer: by, Text: "DEL l",
		Truths:  []trace.Truth{{Lock: "l"}},
		Changes: []trace.KeyChange{{Store: "redis", Key: "l", Deleted: true}},
	}
}

func expires() trace.Event {
	e := freed("")
	e.Kind, e.Text = trace.KindExpire, "l expires"
	return e
}

func renewed(by, grant string, until int64) trace.Event {
	return trace.Event{
		Actor: "redis", Kind: trace.KindExec, Peer: by, Text: "PEXPIRE l",
		Changes: []trace.KeyChange{{Store: "redis", Key: "l", Value: grant, Expires: until}},
	}
}

func wrote(by, grant string, accepted bool, value string) trace.Event {
	return trace.Event{Actor: "stock", Kind: trace.KindExec, Peer: by,
		Write: &trace.Write{Name: "stock", Value: value, Grant: grant, Accepted: accepted}}
}

func changed(by, from, to string, accepted bool) trace.Event {
	e := wrote(by, "", accepted, to)
	e.Write.From = from
	return e
}

func row(key, value string) trace.Event {
	return trace.Event{Actor: "redis", Kind: trace.KindExec, Changes: []trace.KeyChange{{Store: "redis", Key: key, Value: value}}}
}

func doing(actor, what string) trace.Event {
	return trace.Event{Actor: actor, Kind: trace.KindCall, Doing: &what}
}

func asks(actor string) trace.Event { return asksFor(actor, "l") }

// asksFor is the beginning of asking for a lock, or its end if key is empty.
func asksFor(actor, key string) trace.Event {
	return trace.Event{Actor: actor, Kind: trace.KindSend, Asks: &key}
}

// waitsInStore is the beginning of a wait in a session of a store, or its end if
// what is empty.
func waitsInStore(actor, what string) trace.Event {
	return trace.Event{Actor: "redis", Kind: trace.KindNote,
		Sessions: []trace.SessionChange{{Store: "redis", Name: actor, Actor: actor, Waits: what}}}
}

func ends(actor, outcome string) trace.Event {
	return trace.Event{Actor: actor, Kind: trace.KindReturn, Outcome: outcome}
}

func at(t time.Duration, e trace.Event) trace.Event {
	e.At = int64(t)
	return e
}

func shares(actor, grant string) trace.Event {
	e := believes(actor, grant, 0)
	e.Beliefs[0].Shared = true
	return e
}

// later is something that happens after the bound.
func later() trace.Event {
	return trace.Event{Actor: "stock", Kind: trace.KindNote, At: int64(2 * time.Minute)}
}

func woken(actor string) trace.Event {
	return trace.Event{Actor: actor, Kind: trace.KindReceive, Wake: true}
}

func becomes(actor string, s trace.ActorState) trace.Event {
	return trace.Event{Actor: actor, Kind: trace.KindFault, State: s}
}

// TestInvariants runs one invariant over short histories: those that it must
// find broken, with a word of the reason, and those that it must not.
func TestInvariants(t *testing.T) {
	for _, tc := range []struct {
		invariant, name string
		events          history
		want            string // part of the reason; empty: nothing is broken
	}{
		{"mutual-exclusion", "two believers", history{believes("A", "A#1", 0), believes("B", "B#1", 0)}, "A and B believe"},
		{"mutual-exclusion", "one after the other", history{believes("A", "A#1", 0), stops("A"), believes("B", "B#1", 0)}, ""},
		{"mutual-exclusion", "three, of whom one stops", history{believes("A", "A#1", 0), believes("B", "B#1", 0), stops("A")}, "A and B believe"},
		{"one-at-work", "both at work", history{doing("A", "work 1s"), doing("B", "work 1s")}, "A and B are at work"},
		{"one-at-work", "one waits", history{doing("A", "work 1s"), doing("B", "acquire"), doing("A", ""), doing("B", "work 1s")}, ""},
		{"one-at-work", "one crashes", history{doing("A", "work 1s"), becomes("A", trace.StateCrashed), doing("B", "work 1s")}, ""},
		{"only-owner-releases", "another's DEL", history{granted("B", "B#1", 9), freed("A")}, "A took l away from B with DEL l"},
		{"only-owner-releases", "its own DEL", history{granted("B", "B#1", 9), freed("B")}, ""},
		{"only-owner-releases", "by time", history{granted("B", "B#1", 9), expires()}, ""},
		{"only-owner-releases", "overwritten", history{granted("B", "B#1", 9), granted("A", "A#1", 9)}, "A took l away from B"},
		{"only-owner-renews", "another's renewal", history{granted("B", "B#1", 9), renewed("A", "B#1", 20)}, "A prolonged the lock of B"},
		{"only-owner-renews", "its own", history{granted("B", "B#1", 9), renewed("B", "B#1", 20)}, ""},
		{"only-owner-renews", "a new grant", history{granted("B", "B#1", 9), expires(), granted("A", "A#1", 20)}, ""},
		{"no-stale-write", "the older grant writes last", history{granted("A", "A#1", 9), expires(), granted("B", "B#1", 9),
			wrote("B", "B#1", true, "2"), wrote("A", "A#1", true, "1")}, "A overwrote stock"},
		{"no-stale-write", "and is refused", history{granted("A", "A#1", 9), expires(), granted("B", "B#1", 9),
			wrote("B", "B#1", true, "2"), wrote("A", "A#1", false, "2")}, ""},
		{"no-stale-write", "in the order of grants", history{granted("A", "A#1", 9), wrote("A", "A#1", true, "1"), freed("A"),
			granted("B", "B#1", 9), wrote("B", "B#1", true, "2")}, ""},
		{"no-oversell", "below the bound", history{wrote("A", "", true, "0"), wrote("B", "", true, "-1")}, "stock is -1, below 0"},
		{"no-oversell", "at the bound", history{wrote("A", "", true, "0")}, ""},
		{"no-oversell", "refused", history{wrote("A", "", false, "-1")}, ""},
		{"no-lost-update", "from an old value", history{changed("B", "100", "120", true), changed("A", "100", "110", true)},
			"A made stock 110 out of 100, and overwrote 120"},
		{"no-lost-update", "from the last value", history{changed("B", "100", "120", true), changed("A", "120", "130", true)}, ""},
		{"no-lost-update", "refused", history{changed("B", "100", "120", true), changed("A", "100", "110", false)}, ""},
		{"no-lost-update", "not computed", history{changed("B", "100", "120", true), changed("A", "", "110", true)}, ""},
		{"no-duplicates", "two rows alike", history{row("t#1", "x"), row("t#2", "x")}, "t holds twice: x"},
		{"no-duplicates", "one row written again", history{row("t#1", "x"), row("t#1", "x")}, ""},
		{"no-duplicates", "other rows", history{row("t#1", "x"), row("t#2", "y"), row("u#1", "x"), row("t", "x")}, ""},
		{"tokens-grow", "a smaller one", history{believes("A", "A#1", 34), stops("A"), believes("B", "B#1", 33)}, "token 33 after token 34"},
		{"tokens-grow", "the same again", history{believes("A", "A#1", 34), stops("A"), believes("B", "B#1", 34)}, "token 34 after token 34"},
		{"tokens-grow", "a larger one", history{believes("A", "A#1", 33), stops("A"), believes("B", "B#1", 34)}, ""},
		{"tokens-grow", "one grant renewed", history{believes("A", "A#1", 33), believes("A", "A#1", 33)}, ""},
		{"no-forgotten-waiter", "waits when all is over", history{granted("A", "A#1", 9), asks("B"), freed("A")}, "nobody has told B"},
		{"no-forgotten-waiter", "granted at last", history{asks("B"), granted("B", "B#1", 9), asksFor("B", "")}, ""},
		{"no-forgotten-waiter", "for another lock", history{asksFor("B", "m")}, ""},
		{"no-deadlock", "waits for itself", history{believes("A", "A#1", 0), asks("A"), later()}, "A waits for a lock that it holds itself"},
		{"no-deadlock", "each waits for the other", history{shares("A", "A#1"), shares("B", "B#1"), asks("A"), asks("B"), later()}, "A and B wait for each other"},
		{"no-deadlock", "waits for another", history{believes("A", "A#1", 0), asks("B"), later()}, ""},
		{"no-deadlock", "is answered in time", history{believes("A", "A#1", 0), asks("A"), asksFor("A", ""), later()}, ""},
		{"no-long-wait", "for a lock", history{asks("A"), at(2*time.Minute, asksFor("A", ""))}, "waiting for l for 12"},
		{"no-long-wait", "is granted in time", history{asks("A"), believes("A", "A#1", 0), asksFor("A", ""), later()}, ""},
		{"no-long-wait", "one row after another", history{waitsInStore("A", "row 1"), at(40*time.Second, waitsInStore("A", "row 2")), at(80*time.Second, waitsInStore("A", ""))}, ""},
		{"no-long-wait", "one row until late", history{waitsInStore("A", "row 1"), at(2*time.Minute, waitsInStore("A", ""))}, "waiting for row 1 for 12"},
		{"no-long-wait", "crashes while it waits", history{asks("A"), becomes("A", trace.StateCrashed), later()}, ""},
		{"no-conflict-error", "a victim", history{ends("A", "deadlock")}, "A fails with deadlock"},
		{"no-conflict-error", "second at the index", history{ends("A", "duplicate")}, "A fails with duplicate"},
		{"no-conflict-error", "refused", history{ends("A", "not-acquired"), ends("B", "busy"), ends("A", "ok")}, ""},
		{"no-lost-sale", "refused while there is one", history{row("stock", "1"), ends("A", "refused")}, "A is sent away (refused) while stock is 1"},
		{"no-lost-sale", "nothing is left", history{row("stock", "0"), ends("A", "sold-out")}, ""},
		{"no-lost-sale", "may come again", history{row("stock", "1"), ends("A", "busy")}, ""},
		{"no-orphan", "its owner does not know", history{granted("A", "A#1", 9), later()}, "l belongs to A, which does not know"},
		{"no-orphan", "its owner knows", history{granted("A", "A#1", 9), believes("A", "A#1", 0), later()}, ""},
		{"no-orphan", "its owner has crashed", history{granted("A", "A#1", 9), becomes("A", trace.StateCrashed), later()}, ""},
		{"no-herd", "two are woken", history{granted("A", "A#1", 9), freed("A"), woken("A"), woken("B")}, "A and B are woken"},
		{"no-herd", "one after each release", history{freed("A"), woken("B"), granted("B", "B#1", 9), freed("B"), woken("A")}, ""},
		{"fifo", "overtaken", history{asks("A"), asks("B"), believes("B", "B#1", 0)}, "B was granted l before A"},
		{"fifo", "in order", history{asks("A"), asks("B"), believes("A", "A#1", 0)}, ""},
		{"fifo", "a try gets in between", history{asks("A"), doing("B", "try"), believes("B", "B#1", 0)}, "B was granted l before A"},
		{"fifo", "the first has gone", history{asks("A"), asks("B"), becomes("A", trace.StateCrashed), believes("B", "B#1", 0)}, ""},
		{"mutual-exclusion", "readers", history{shares("A", "A#1"), shares("B", "B#1")}, ""},
		{"mutual-exclusion", "a reader and a writer", history{shares("A", "A#1"), believes("B", "B#1", 0)}, "A and B believe"},
		{"at-most-permits", "two of one", history{shares("A", "A#1"), shares("B", "B#1")}, "A and B believe that they hold a permit of 1"},
		{"at-most-permits", "one of one", history{shares("A", "A#1"), stops("A"), shares("B", "B#1")}, ""},
		{"no-lost-permit", "waits though it is free", history{asks("A"), later()}, "0 of 1 permits of l"},
		{"no-lost-permit", "waits while it is held", history{shares("B", "B#1"), asks("A"), later()}, ""},
		{"nothing-left-behind", "taken at the end", history{granted("A", "A#1", 0)}, "l still belongs to A"},
		{"nothing-left-behind", "free at the end", history{granted("A", "A#1", 9), freed("A")}, ""},
	} {
		t.Run(tc.invariant+"/"+tc.name, func(t *testing.T) {
			got := run(t, tc.invariant, tc.events)
			if tc.want == "" && len(got) > 0 {
				t.Errorf("broken: %q", got)
			}
			if tc.want != "" && (len(got) != 1 || !strings.Contains(got[0], tc.want)) {
				t.Errorf("got %q, want one reason with %q", got, tc.want)
			}
		})
	}
}

func setup() Setup {
	return Setup{Lock: "l", Bound: time.Minute, Permits: 1, Min: map[string]int{"stock": 0}}
}

func start() trace.World {
	h := trace.Header{Actors: []trace.Actor{
		{Name: "A", Role: trace.RoleClient}, {Name: "B", Role: trace.RoleClient},
		{Name: "redis", Role: trace.RoleStore}, {Name: "stock", Role: trace.RoleResource},
	}}
	return h.Start()
}

// run collects the reasons that an invariant gives over a history.
func run(t *testing.T, name string, events history) []string {
	t.Helper()
	info, ok := Find(name)
	if !ok {
		t.Fatalf("no invariant %q", name)
	}
	inv, w := info.New(setup()), start()
	var out []string
	for i := range events {
		e := events[i]
		e.Step, e.At = i+1, e.At+int64(i)
		w.Apply(&e)
		if reason := inv.Check(&w, &e); reason != "" {
			out = append(out, reason)
		}
	}
	if reason := inv.Finish(&w, true); reason != "" {
		out = append(out, reason)
	}
	return out
}

func TestALockIsOverdueOnceItsHolderIsGoneForTheBound(t *testing.T) {
	info, _ := Find("eventual-release")
	inv := info.New(setup()).(Timed)
	w := start()
	for _, e := range []trace.Event{granted("A", "A#1", 0), becomes("A", trace.StateCrashed)} {
		w.Apply(&e)
		if reason := inv.Check(&w, &e); reason != "" {
			t.Fatal(reason)
		}
	}
	if reason := inv.Overdue(&w, int64(inv.Bound())-1); reason != "" {
		t.Errorf("too early: %s", reason)
	}
	if reason := inv.Overdue(&w, int64(inv.Bound())); !strings.Contains(reason, "gone for 60s") {
		t.Errorf("got %q", reason)
	}
	if reason := inv.Overdue(&w, int64(2*inv.Bound())); reason != "" {
		t.Errorf("reported twice: %s", reason)
	}
}

func TestEveryInvariantHasItsOwnName(t *testing.T) {
	seen := map[string]bool{}
	for _, info := range All() {
		inv := info.New(setup())
		if inv.Name() != info.Name || seen[info.Name] || info.Summary == "" {
			t.Errorf("%q: its instance is called %q", info.Name, inv.Name())
		}
		seen[info.Name] = true
	}
	if _, ok := Find("no such"); ok {
		t.Error("found an invariant that does not exist")
	}
}
