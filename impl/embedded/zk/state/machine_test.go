package state_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lockstep-sim/lockstep/impl/clock"
	"github.com/lockstep-sim/lockstep/impl/embedded/zk/state"
)

// peer is a connected client without a connection.
type peer struct {
	t        *testing.T
	m        *state.Machine
	id       int64
	password []byte
	got      []string // events and answers in the order of their coming
	hungUp   bool
}

func connect(t *testing.T, m *state.Machine) *peer {
	t.Helper()
	p := &peer{t: t, m: m}
	r, err := m.Connect(state.ConnectRequest{Timeout: 10 * time.Second}, p)
	if err != nil || r.Session == 0 {
		t.Fatalf("connect: %+v, %v", r, err)
	}
	p.id, p.password = r.Session, r.Password
	return p
}

// Event implements state.Link.
func (p *peer) Event(e state.Event) {
	p.got = append(p.got, fmt.Sprintf("event %d %s", e.Type, e.Path))
}

// HangUp implements state.Link.
func (p *peer) HangUp() { p.hungUp = true }

func (p *peer) do(r state.Request) state.Response {
	var out state.Response
	p.m.Do(p.id, p, r, func(resp state.Response) {
		out = resp
		p.got = append(p.got, fmt.Sprintf("answer %d", r.Op))
	})
	return out
}

func (p *peer) must(r state.Request) state.Response {
	p.t.Helper()
	resp := p.do(r)
	if resp.Code != state.OK {
		p.t.Fatalf("%+v: %v", r, resp.Code)
	}
	return resp
}

func create(path string, flags int32) state.Request {
	return state.Request{Op: state.OpCreate, Path: path, ACL: state.WorldACL(), Flags: flags}
}

func TestOnlyThePasswordOpensASession(t *testing.T) {
	m := state.New(state.Options{})
	p := connect(t, m)
	for name, password := range map[string][]byte{"wrong": make([]byte, 16), "none": nil} {
		r, err := m.Connect(state.ConnectRequest{Session: p.id, Password: password}, &peer{})
		if err != nil || r.Session != 0 {
			t.Errorf("%s password: session %d, %v; want refused", name, r.Session, err)
		}
	}
	if p.hungUp {
		t.Error("a refused client cut the session off")
	}
	m.Suspend()
}

func TestClientFromTheFutureIsSentAway(t *testing.T) {
	m := state.New(state.Options{})
	if _, err := m.Connect(state.ConnectRequest{LastZxid: 1}, &peer{}); !errors.Is(err, state.ErrAhead) {
		t.Errorf("connect: %v, want ErrAhead", err)
	}
}

func TestSessionMovesToItsNewestConnection(t *testing.T) {
	m := state.New(state.Options{})
	defer m.Suspend()
	first := connect(t, m)
	first.must(state.Request{Op: state.OpExists, Path: "/", Watch: true})
	second := &peer{t: t, m: m, id: first.id}
	_, err := m.Connect(state.ConnectRequest{Session: first.id, Password: first.password}, second)
	if err != nil {
		t.Fatal(err)
	}
	if !first.hungUp || second.hungUp {
		t.Errorf("hung up: first %v, second %v; want the first", first.hungUp, second.hungUp)
	}
	ping := state.Request{Op: state.OpPing}
	if got := first.do(ping).Code; got != state.SessionMoved {
		t.Errorf("over the first connection: %v, want SessionMoved", got)
	}
	m.Disconnect(first.id, first) // late: the session is elsewhere
	if got := second.do(ping).Code; got != state.OK {
		t.Errorf("over the second connection: %v", got)
	}
	if n := m.Sessions()[0].Watches; n != 0 {
		t.Errorf("%d watches went along; a client sets them anew", n)
	}
}

func TestRequestAfterTheEndOfTheSession(t *testing.T) {
	m := state.New(state.Options{})
	p := connect(t, m)
	p.must(state.Request{Op: state.OpCloseSession})
	if got := p.do(state.Request{Op: state.OpPing}).Code; got != state.SessionExpired {
		t.Errorf("after closing: %v, want SessionExpired", got)
	}
}

func TestAnswerComesBeforeTheEventsThatFollowIt(t *testing.T) {
	m := state.New(state.Options{})
	defer m.Suspend()
	p, q := connect(t, m), connect(t, m)
	p.must(state.Request{Op: state.OpGetChildren, Path: "/", Watch: true})
	q.must(create("/x", state.Persistent))
	if want := []string{"answer 8", "event 4 /"}; !slices.Equal(p.got, want) {
		t.Errorf("the watcher got %v, want %v", p.got, want)
	}
	p.got = nil
	p.must(state.Request{Op: state.OpExists, Path: "/x", Watch: true})
	p.must(state.Request{Op: state.OpDelete, Path: "/x", Version: state.AnyVersion})
	if want := []string{"answer 3", "event 2 /x", "answer 2"}; !slices.Equal(p.got, want) {
		t.Errorf("the changer got %v, want the event of its own change before the answer: %v", p.got, want)
	}
}

func TestMultiIsAllOrNothing(t *testing.T) {
	m := state.New(state.Options{})
	defer m.Suspend()
	p := connect(t, m)
	p.must(create("/p", state.Persistent))
	p.must(create("/p/old", state.Ephemeral))
	before := m.Tree()
	r := p.must(state.Request{Op: state.OpMulti, Multi: []state.Request{
		create("/p/n-", state.EphemeralSequential),
		{Op: state.OpDelete, Path: "/p/old", Version: state.AnyVersion},
		{Op: state.OpSetData, Path: "/p", Data: []byte("x"), Version: state.AnyVersion},
		{Op: state.OpDelete, Path: "/none", Version: state.AnyVersion},
		create("/q", state.Persistent),
	}})
	want := []state.Code{state.OK, state.OK, state.OK, state.NoNode, state.RuntimeInconsistency}
	for i, part := range r.Results {
		if part.Op != state.OpError || part.Code != want[i] {
			t.Errorf("part %d: op %d, %v; want an error of %v", i, part.Op, part.Code, want[i])
		}
	}
	if after := m.Tree(); !slices.EqualFunc(before, after, func(a, b state.Node) bool {
		return a.Path == b.Path && a.Stat == b.Stat && slices.Equal(a.Data, b.Data)
	}) {
		t.Errorf("the tree changed:\n%v\n%v", before, after)
	}
	m.ExpireSession(p.id)
	if got := paths(m); slices.Contains(got, "/p/old") {
		t.Errorf("the restored ephemeral node outlives its session: %v", got)
	}
}

func TestMultiOfWhatDoesNotBelongInOne(t *testing.T) {
	m := state.New(state.Options{})
	defer m.Suspend()
	p := connect(t, m)
	for _, op := range []state.Op{state.OpMulti, state.OpSetACL, state.OpGetData, state.OpPing} {
		r := p.must(state.Request{Op: state.OpMulti, Multi: []state.Request{{Op: op, Path: "/"}}})
		if len(r.Results) != 1 || r.Results[0].Code != state.Unimplemented {
			t.Errorf("op %d in a multi: %+v, want Unimplemented", op, r.Results)
		}
	}
}

func TestWhatIsNotSupportedSaysSo(t *testing.T) {
	m := state.New(state.Options{})
	defer m.Suspend()
	p := connect(t, m)
	const addWatch, reconfig = 106, 16
	for name, r := range map[string]state.Request{
		"container":         create("/x", state.Container),
		"TTL":               create("/x", state.PersistentTTL),
		"sequential TTL":    create("/x", state.SequentialTTL),
		"add watch":         {Op: addWatch},
		"reconfigure":       {Op: reconfig},
		"check by itself":   {Op: state.OpCheck, Path: "/"},
		"unknown operation": {Op: 4711},
	} {
		if got := p.do(r).Code; got != state.Unimplemented {
			t.Errorf("%s: %v, want Unimplemented", name, got)
		}
	}
	if got := p.do(create("/x", 99)).Code; got != state.BadArguments {
		t.Errorf("unknown flags: %v, want BadArguments", got)
	}
	if got := p.do(state.Request{Op: state.OpSetAuth, Auth: state.Auth{Scheme: "kerberos"}}).Code; got != state.AuthFailed {
		t.Errorf("unknown scheme: %v, want AuthFailed", got)
	}
}

func TestPathsThatAreRefused(t *testing.T) {
	m := state.New(state.Options{})
	defer m.Suspend()
	p := connect(t, m)
	for _, path := range []string{"", "x", "/x/", "//x", "/.", "/..", "/a\x00b", "/a\x1f", "/a\u0085", "/\ue000", "/\ufffd", "/\U0001f600"} {
		if got := p.do(create(path, state.Persistent)).Code; got != state.BadArguments && got != state.NoNode {
			t.Errorf("create %q: %v, want it refused", path, got)
		}
	}
	for _, path := range []string{"/a.b", "/...", "/a b", "/ä", "/%2F"} {
		p.must(create(path, state.Persistent))
	}
}

func TestDataIsNotShared(t *testing.T) {
	m := state.New(state.Options{})
	defer m.Suspend()
	p := connect(t, m)
	data := []byte("abc")
	r := create("/x", state.Persistent)
	r.Data = data
	p.must(r)
	data[0] = 'X'
	got := p.must(state.Request{Op: state.OpGetData, Path: "/x"}).Data
	got[1] = 'X'
	if again := p.must(state.Request{Op: state.OpGetData, Path: "/x"}).Data; string(again) != "abc" {
		t.Errorf("data %q, want it to be the machine's own", again)
	}
}

func TestSameRequestsGiveTheSameState(t *testing.T) {
	run := func() []state.Node {
		m := state.New(state.Options{Clock: frozen{clock.Real()}, Secret: 1})
		for i := range 20 {
			p := connect(t, m)
			p.must(create(fmt.Sprintf("/p%d", i), state.Persistent))
			for range 5 {
				p.must(create(fmt.Sprintf("/p%d/n-", i/2), state.EphemeralSequential))
			}
			if i%3 == 0 {
				m.ExpireSession(p.id)
			}
		}
		return m.Tree()
	}
	if a, b := fmt.Sprint(run()), fmt.Sprint(run()); a != b {
		t.Errorf("two runs differ:\n%s\n%s", a, b)
	}
}

// frozen is a clock that stands still.
type frozen struct{ clock.Clock }

func (frozen) Now() time.Time                                   { return time.Unix(1e9, 0) }
func (frozen) AfterFunc(time.Duration, func()) clock.Timer      { return stopped{} }
func (frozen) Sleep(ctx context.Context, _ time.Duration) error { return ctx.Err() }

type stopped struct{}

func (stopped) Stop() bool { return true }

func TestExactExpiryIsOneTimeoutAfterTheLastRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := state.New(state.Options{ExactExpiry: true})
		p := connect(t, m)
		time.Sleep(7 * time.Second)
		p.must(state.Request{Op: state.OpPing})
		time.Sleep(10*time.Second - 1)
		synctest.Wait()
		if len(m.Sessions()) != 1 {
			t.Fatal("the session expired too early")
		}
		time.Sleep(1 * time.Nanosecond)
		synctest.Wait()
		if len(m.Sessions()) != 0 || !p.hungUp {
			t.Errorf("sessions %v, hung up %v; want it expired", m.Sessions(), p.hungUp)
		}
	})
}

func paths(m *state.Machine) []string {
	var out []string
	for _, n := range m.Tree() {
		out = append(out, n.Path)
	}
	return out
}
