package script

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestHeadOfAFile(t *testing.T) {
	s := mustParse(t, `title  DEL   deletes 别人的锁  # a comment
store redis
lock post:like:{post}:1=2;3,4#5
param ttl=300ms kind=redis/plain-delete
param shots=2
resource stock=$shots min=-3
check one-at-work   tokens-grow
until $ttl
variant a-1 kind=redis shots=4 expect violation one-at-work , tokens-grow
client A: exit
mark m at 5s when variant=a-1
mark last at end
expect ttl at 5s != none
trace a-1
----
 # verbatim	x 

client A: nonsense
----
`)
	want := &Scenario{
		File: "x.scn", ID: "x.scn", Title: "DEL deletes 别人的锁",
		Stores: []Word{word("redis")}, Locks: []Word{word("post:like:{post}:1=2;3,4#5")},
		Params: []Setting{set("ttl", "300ms"), set("kind", "redis/plain-delete"), set("shots", "2")},
		Resources: []Resource{
			{Name: word("stock"), Initial: *val("$shots"), Min: val("-3")},
		},
		Checks: []Word{word("one-at-work"), word("tokens-grow")},
		Until:  val("$ttl"),
		Variants: []Variant{{
			Name: word("a-1"), Set: []Setting{set("kind", "redis"), set("shots", "4")},
			Violates: []Word{word("one-at-work"), word("tokens-grow")},
		}},
		Clients: []Client{{Name: word("A"), Steps: []Step{{Verb: word("exit")}}}},
		Marks:   []Mark{{Name: word("m"), At: val("5s"), When: []Word{word("a-1")}}, {Name: word("last")}},
		Expects: []Expect{{
			Text: "ttl at 5s != none", Subject: Subject{Name: "ttl", At: val("5s")}, Op: "!=", Want: []Value{*val("none")},
		}},
		Goldens: []Golden{{Variant: word("a-1"), Lines: []string{" # verbatim\tx ", "", "client A: nonsense"}}},
	}
	if diff := cmp.Diff(want, s, sameTree()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestSteps(t *testing.T) {
	for _, tt := range []struct {
		text string
		want Step
	}{
		{"acquire", Step{Verb: word("acquire")}},
		{"acquire ttl=5s timeout=$w", Step{Verb: word("acquire"), Opts: []Setting{set("ttl", "5s"), set("timeout", "$w")}}},
		{"acquire lease=5s", Step{Verb: word("acquire"), Opts: []Setting{set("lease", "5s")}}},
		{"at 100ms try ttl=1m30s", Step{At: val("100ms"), Verb: word("try"), Opts: []Setting{set("ttl", "1m30s")}}},
		{"after $w try", Step{After: val("$w"), Verb: word("try")}},
		{"release", Step{Verb: word("release")}},
		{"renew", Step{Verb: word("renew")}},
		{"work 0s", Step{Verb: word("work"), Args: []Value{*val("0s")}}},
		{"work 1.5s until-lost", Step{Verb: word("work"), Args: []Value{*val("1.5s")}, Flags: []Word{word("until-lost")}}},
		{"do 1s fail", Step{Verb: word("do"), Args: []Value{*val("1s")}, Flags: []Word{word("fail")}}},
		{"read stock", Step{Verb: word("read"), Args: []Value{*val("stock")}}},
		{"take stock", Step{Verb: word("take"), Args: []Value{*val("stock")}}},
		{"write stock=-2", Step{Verb: word("write"), Opts: []Setting{set("stock", "-2")}}},
		{"write stock = $n", Step{Verb: word("write"), Opts: []Setting{set("stock", "$n")}}},
		{"fail", Step{Verb: word("fail")}},
		{"exit", Step{Verb: word("exit")}},
		{"at 5s crash", Step{At: val("5s"), Verb: word("crash")}},
	} {
		t.Run(tt.text, func(t *testing.T) {
			s := mustParse(t, base+"client C: "+tt.text+"\n")
			if diff := cmp.Diff([]Step{tt.want}, s.Clients[3].Steps, sameTree()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestFaults(t *testing.T) {
	place := func(before bool, command string, nth int) *Place {
		return &Place{Before: before, Command: word(command), Nth: nth}
	}
	redis := word("redis")
	for _, tt := range []struct {
		text string
		want Fault
	}{
		{"crash A before EXPIRE", Fault{Target: word("A"), Place: place(true, "EXPIRE", 1)}},
		{"crash A after SET#3", Fault{Target: word("A"), Place: place(false, "SET", 3)}},
		{"crash A at 42s", Fault{Target: word("A"), At: val("42s")}},
		{"pause A after GET for 400ms", Fault{Target: word("A"), Place: place(false, "GET", 1), For: val("400ms")}},
		{"pause A at 5s for $w", Fault{Target: word("A"), At: val("5s"), For: val("$w")}},
		{"drop request of B SET", Fault{Target: word("B"), Dir: "request", Place: place(false, "SET", 1)}},
		{"drop reply of B release.lua#2", Fault{Target: word("B"), Dir: "reply", Place: place(false, "release.lua", 2)}},
		{"delay reply of B SET by 3s", Fault{Target: word("B"), Dir: "reply", Place: place(false, "SET", 1), By: val("3s")}},
		{"hold request of B WRITE until 3s", Fault{Target: word("B"), Dir: "request", Place: place(false, "WRITE", 1), Until: val("3s")}},
		{"offset A by 5s", Fault{Target: word("A"), By: val("5s")}},
		{"jump redis by 20s at 3s", Fault{Target: redis, By: val("20s"), At: val("3s")}},
		{"partition A redis from 1s to 5s", Fault{Sides: [2][]Word{{word("A")}, {redis}}, From: val("1s"), Until: val("5s")}},
		{"block A,B redis from 1s to 5s", Fault{Sides: [2][]Word{{word("A"), word("B")}, {redis}}, From: val("1s"), Until: val("5s")}},
		{"restart redis at 5s from snapshot", Fault{Target: redis, State: "snapshot", At: val("5s")}},
		{"drift redis by 10ms every 1s", Fault{Target: redis, By: val("10ms"), Every: val("1s")}},
		{"duplicate request of B SET", Fault{Target: word("B"), Place: place(false, "SET", 1)}},
		{"crash D at 1s when variant=two", Fault{Target: word("D"), At: val("1s"), When: []Word{word("two")}}},
	} {
		t.Run(tt.text, func(t *testing.T) {
			s := mustParse(t, base+"fault "+tt.text+"\n")
			got := s.Faults[0]
			tt.want.Kind = got.Kind
			if diff := cmp.Diff(tt.want, got, sameTree()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if text := got.String() + condition(got.When); text != tt.text {
				t.Errorf("written as %q", text)
			}
		})
	}
}

func TestExpectations(t *testing.T) {
	for _, tt := range []struct {
		text string
		want Subject
		op   string
		vals []string
	}{
		{"A.release = not-held", Subject{Name: "step", Actor: "A", Verb: "release", Nth: 1}, "=", []string{"not-held"}},
		{"A.release = $who", Subject{Name: "step", Actor: "A", Verb: "release", Nth: 1}, "=", []string{"$who"}},
		{"B.try#2 != ok", Subject{Name: "step", Actor: "B", Verb: "try", Nth: 2}, "!=", []string{"ok"}},
		{"A.release.reply = (nil)", Subject{Name: "step", Actor: "A", Verb: "release", Nth: 1, Field: "reply"}, "=", []string{"(nil)"}},
		{"A.acquire.reply = [1 33]", Subject{Name: "step", Actor: "A", Verb: "acquire", Nth: 1, Field: "reply"}, "=", []string{"[1 33]"}},
		{"A.read.reply = $n", Subject{Name: "step", Actor: "A", Verb: "read", Nth: 1, Field: "reply"}, "=", []string{"$n"}},
		{"B.try#2.start >= 5s", Subject{Name: "step", Actor: "B", Verb: "try", Nth: 2, Field: "start"}, ">=", []string{"5s"}},
		{"A.acquire.at = none", Subject{Name: "step", Actor: "A", Verb: "acquire", Nth: 1, Field: "at"}, "=", []string{"none"}},
		{"A.acquire.took < $w", Subject{Name: "step", Actor: "A", Verb: "acquire", Nth: 1, Field: "took"}, "<", []string{"$w"}},
		{"A.sends[SET] <= 2", Subject{Name: "sends", Actor: "A", Arg: "SET"}, "<=", []string{"2"}},
		{"A.sends[renew.lua] > 0", Subject{Name: "sends", Actor: "A", Arg: "renew.lua"}, ">", []string{"0"}},
		{"A.sends[renew.lua].at = 10s, 20s, 30s", Subject{Name: "sends", Actor: "A", Arg: "renew.lua", Field: "at"}, "=", []string{"10s", "20s", "30s"}},
		{"A.token = none", Subject{Name: "token", Actor: "A", Nth: 1}, "=", []string{"none"}},
		{"A.token#2 = 34", Subject{Name: "token", Actor: "A", Nth: 2}, "=", []string{"34"}},
		{"owner at 5s = A", Subject{Name: "owner", At: val("5s")}, "=", []string{"A"}},
		{"owner at $w = $who", Subject{Name: "owner", At: val("$w")}, "=", []string{"$who"}},
		{"believers at end = A, B", Subject{Name: "believers"}, "=", []string{"A", "B"}},
		{"ttl at 5s = gone", Subject{Name: "ttl", At: val("5s")}, "=", []string{"gone"}},
		{"ttl at 5s > 900ms", Subject{Name: "ttl", At: val("5s")}, ">", []string{"900ms"}},
		{"value stock at end = -2", Subject{Name: "value", Arg: "stock"}, "=", []string{"-2"}},
		{"violation[tokens-grow].at = none", Subject{Name: "violation", Arg: "tokens-grow", Field: "at"}, "=", []string{"none"}},
	} {
		t.Run(tt.text, func(t *testing.T) {
			s := mustParse(t, base+"expect "+tt.text+" when variant=one,two\n")
			got := s.Expects[1]
			want := Expect{Text: tt.text, Subject: tt.want, Op: tt.op, When: []Word{word("one"), word("two")}}
			for _, v := range tt.vals {
				want.Want = append(want.Want, *val(v))
			}
			if diff := cmp.Diff(want, got, sameTree()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestPositionsCountBytesFromOne(t *testing.T) {
	s := mustParse(t, base+"client C:\n\tacquire  ttl=5s;\n    at 7s release\nexpect  A.release.reply  = 0\n")
	c := s.Clients[3]
	for _, tt := range []struct {
		what string
		got  Pos
		want Pos
	}{
		{"name of the client", c.Name.Pos, Pos{12, 8}},
		{"verb behind a tab", c.Steps[0].Verb.Pos, Pos{13, 2}},
		{"option", c.Steps[0].Opts[0].Name.Pos, Pos{13, 11}},
		{"value of an option", c.Steps[0].Opts[0].Value.Pos, Pos{13, 15}},
		{"time of a step", c.Steps[1].At.Pos, Pos{14, 8}},
		{"expectation", s.Expects[1].Pos, Pos{15, 1}},
		{"subject", s.Expects[1].Subject.Pos, Pos{15, 9}},
		{"wanted value", s.Expects[1].Want[0].Pos, Pos{15, 28}},
	} {
		if tt.got != tt.want {
			t.Errorf("%s: %v, want %v", tt.what, tt.got, tt.want)
		}
	}
}

func TestLineEndsAndByteOrderMark(t *testing.T) {
	windows := "\ufeff" + base + "trace one\r\n----\r\nstep\r\n----\r\n"
	s := mustParse(t, windows)
	if got := s.Goldens[0].Lines; len(got) != 1 || got[0] != "step" {
		t.Errorf("lines of the trace: %q", got)
	}
	if s.Title != "A base for tests" {
		t.Errorf("title %q", s.Title)
	}
}

// Clients, marks and variants may stand in any order, parameters too.
func TestUseBeforeDefinition(t *testing.T) {
	mustParse(t, `title Order does not matter
expect A.acquire.took < $w
fault crash A before SET when variant=v
client A when variant=v: acquire; take stock; work $w
variant v w=2s expect no-violation
resource stock=1
lock k
store redis
param w=1s
`)
}
