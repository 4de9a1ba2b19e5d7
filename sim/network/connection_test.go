package network

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/lockstep-sim/lockstep/impl/clock"
	"github.com/lockstep-sim/lockstep/sim/kernel"
	"github.com/lockstep-sim/lockstep/sim/record"
	"github.com/lockstep-sim/lockstep/sim/trace"
)

// connected lets A hold a connection to S for a second while do goes wrong with
// it, and returns what both ends noticed, with the times.
func connected(t *testing.T, faults *Faults, do func(*kernel.Kernel, *Network, *Link)) []string {
	t.Helper()
	k := kernel.New(1, kernel.Limits{})
	defer k.Close()
	rec := record.New(k, trace.Header{Actors: []trace.Actor{{Name: "A"}, {Name: "S"}}}, nil)
	n := New(k, rec, ms, faults)
	p := k.NewProcess("A")
	link := n.Dial(p, "S")
	var out []string
	noticed := func(who string) func() {
		return func() { out = append(out, fmt.Sprintf("%s %v", who, k.Now())) }
	}
	link.OnClose(noticed("server"))
	link.OnBreak(noticed("client"))
	p.Go("main", func() { _ = p.Clock().NewEvent().Wait(context.Background(), clock.NoLimit) })
	do(k, n, link)
	if err := k.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestWhoLearnsOfTheEndOfAConnection(t *testing.T) {
	const at10 = kernel.Time(10 * ms)
	cut := func() *Faults {
		return &Faults{Partitions: []Partition{{A: []string{"A"}, B: []string{"S"}, Until: 1000 * ms}}}
	}
	for name, tc := range map[string]struct {
		faults *Faults
		do     func(*kernel.Kernel, *Network, *Link)
		want   []string
	}{
		"closed by the client":              {&Faults{}, func(k *kernel.Kernel, _ *Network, l *Link) { k.At(at10, l.Close) }, []string{"server 11ms"}},
		"closed, but the server is cut off": {cut(), func(k *kernel.Kernel, _ *Network, l *Link) { k.At(at10, l.Close) }, nil},
		"broken":                            {&Faults{}, func(k *kernel.Kernel, _ *Network, l *Link) { k.At(at10, l.Break) }, []string{"server 10ms", "client 10ms"}},
		"broken twice":                      {&Faults{}, func(k *kernel.Kernel, _ *Network, l *Link) { k.At(at10, func() { l.Break(); l.Break() }) }, []string{"server 10ms", "client 10ms"}},
		"the process dies, its system lives on": {&Faults{}, func(k *kernel.Kernel, n *Network, l *Link) {
			k.At(at10, func() { n.CrashProcess(l.Client()) })
		}, []string{"server 11ms"}},
		"the host is lost": {&Faults{}, func(k *kernel.Kernel, n *Network, l *Link) {
			k.At(at10, func() { n.LoseHost(l.Client()) })
		}, nil},
		"the client's connections break": {&Faults{}, func(k *kernel.Kernel, n *Network, _ *Link) {
			k.At(at10, func() { n.Disconnect("A") })
		}, []string{"server 10ms", "client 10ms"}},
		"the server dies": {&Faults{}, func(k *kernel.Kernel, n *Network, _ *Link) {
			k.At(at10, func() { n.BreakAll("S") })
		}, []string{"server 10ms", "client 10ms"}},
		"a paused client learns it later": {&Faults{}, func(k *kernel.Kernel, n *Network, l *Link) {
			k.At(at10, func() { n.PauseProcess(l.Client(), 20*ms); l.Break() })
		}, []string{"server 10ms", "client 30ms"}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := connected(t, tc.faults, tc.do); !slices.Equal(got, tc.want) {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestABrokenConnectionCarriesNothing(t *testing.T) {
	for name, tc := range map[string]struct {
		point Point
		want  []string
	}{
		"with the request": {OnRequest, []string{"send SET 0ms", "lost the request is lost 1ms", "send GET 10ms", "lost the request is lost 11ms"}},
		"with the answer":  {OnReply, []string{"send SET 0ms", "exec SET 1ms", "lost the answer is lost 2ms", "send GET 10ms", "lost the request is lost 11ms"}},
	} {
		t.Run(name, func(t *testing.T) {
			faults := &Faults{Rules: []*Rule{{Actor: "A", Command: "SET", Nth: 1, Point: tc.point, Do: Break{}}}}
			if got := exchange(t, faults, "SET", "GET"); !slices.Equal(got, tc.want) {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestADuplicateIsExecutedTwiceAndAnsweredOnce(t *testing.T) {
	faults := &Faults{Rules: []*Rule{{Actor: "A", Command: "SET", Nth: 1, Point: OnRequest, Do: Duplicate{}}}}
	want := []string{"send SET 0ms", "exec SET 1ms", "exec SET 1ms", "recv SET 2ms"}
	if got := exchange(t, faults, "SET"); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestAPartitionOfGroupsAndOneWay(t *testing.T) {
	f := &Faults{Partitions: []Partition{
		{A: []string{"A", "B"}, B: []string{"S", "T"}, Until: 10 * ms},
		{A: []string{"C"}, B: []string{"S"}, Until: 10 * ms, OneWay: true},
	}}
	for _, tc := range []struct {
		from, to string
		now      kernel.Time
		want     bool
	}{
		{"A", "T", 0, true}, {"S", "B", 0, true}, {"A", "B", 0, false}, {"A", "T", kernel.Time(10 * ms), false},
		{"C", "S", 0, true}, {"S", "C", 0, false},
	} {
		if got := f.cut(tc.from, tc.to, tc.now); got != tc.want {
			t.Errorf("%s to %s at %v: cut %v", tc.from, tc.to, tc.now, got)
		}
	}
}
